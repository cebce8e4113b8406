import type { ReactElement } from 'react';
import { IconButton } from '../../controls/button.tsx';
import { texts } from '../../texts.ts';
import { type ComparedLine, MAX_LINES, useLines } from './lines.ts';
import type { Owner } from './owner.ts';

interface CompareMarkProps {
  readonly owner: Owner;
  readonly line: ComparedLine;
  readonly name: string;
}

/** A button that adds a value or a link to the comparison over time, or takes it away. */
export function CompareMark({ owner, line, name }: CompareMarkProps): ReactElement {
  const { has, isFull, toggle } = useLines(owner);
  const isOn = has(line);
  const isOut = isFull && !isOn;
  const t = texts.statistics;
  return (
    <IconButton
      icon="overview"
      look="compare"
      name={t.compareOf(name)}
      aria-pressed={isOn}
      aria-disabled={isOut}
      data-tip={isOut ? t.compareFull(MAX_LINES) : t.compareOf(name)}
      onClick={() => isOut || toggle(line)}
    />
  );
}

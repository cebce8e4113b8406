import type { ReactElement } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { texts } from '../../texts.ts';
import { type ComparedLine, MAX_LINES, useLines } from './lines.ts';
import type { Owner } from './owner.ts';

/** A button that adds a value or a link to the comparison over time, or takes it away. */
export function CompareMark({
  owner,
  line,
  name,
}: {
  owner: Owner;
  line: ComparedLine;
  name: string;
}): ReactElement {
  const { has, isFull, toggle } = useLines(owner);
  const isOn = has(line);
  const isOut = isFull && !isOn;
  const t = texts.statistics;
  return (
    <button
      type="button"
      className="bare compare"
      aria-pressed={isOn}
      aria-disabled={isOut}
      aria-label={t.compareOf(name)}
      data-tip={isOut ? t.compareFull(MAX_LINES) : t.compareOf(name)}
      onClick={() => isOut || toggle(line)}
    >
      <Icon name="overview" />
    </button>
  );
}

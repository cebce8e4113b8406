import { type ReactElement, type ReactNode, useState } from 'react';
import { Icon } from '../../parts/icon.tsx';

interface FoldProps {
  readonly title: string;
  readonly value: string;
  readonly isWrong: boolean;
  readonly startsOpen?: boolean;
  readonly children: ReactNode;
}

/** Fields that few links need: folded, with their values in the line, and open if one has an error. */
export function Fold({ title, value, isWrong, startsOpen = false, children }: FoldProps): ReactElement {
  const [isOpen, setOpen] = useState(startsOpen);
  return (
    <details
      className="fold"
      open={isOpen || isWrong}
      onToggle={({ currentTarget: { open } }) => setOpen(open)}
    >
      <summary className="line">
        <Icon name="next" />
        <b>{title}</b> <span className="cut">{value}</span>
      </summary>
      <div className="fields">{children}</div>
    </details>
  );
}

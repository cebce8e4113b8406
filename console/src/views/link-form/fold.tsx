import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { Icon } from '../../parts/icon.tsx';

interface FoldProps {
  readonly title: string;
  readonly value: string;
  readonly isWrong: boolean;
  readonly startsOpen?: boolean;
  readonly children: ReactNode;
}

/** The time for which an opened fold is kept in sight, in milliseconds. */
const SETTLED_AFTER = 3_000;

/** Fields that few links need: folded, with their values in the line, and open if one has an error. */
export function Fold({ title, value, isWrong, startsOpen = false, children }: FoldProps): ReactElement {
  const [isOpen, setOpen] = useState(startsOpen);
  const ref = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const fold = ref.current;
    if (!fold || !isOpen || startsOpen) return;
    // Its fields may be loaded first.
    const observer = new ResizeObserver(() => fold.scrollIntoView({ block: 'nearest' }));
    observer.observe(fold);
    const timer = setTimeout(() => observer.disconnect(), SETTLED_AFTER);
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [isOpen, startsOpen]);
  return (
    <details
      ref={ref}
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

import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { texts } from '../texts.ts';

interface FilterBarProps {
  readonly children: ReactNode;
  /** Saved views and orders. */
  readonly end?: ReactNode;
}

/** The filters of a view, and at their end what else decides what is shown. */
export function FilterBar({ children, end }: FilterBarProps): ReactElement {
  const line = useRef<HTMLDivElement>(null);
  const known = useRef(0);
  // On phones, those that are set are at the start of a line that scrolls.
  useEffect(() => {
    const set = line.current?.querySelectorAll('.set, .chips li').length ?? 0;
    if (set > known.current) line.current?.scrollTo({ left: 0 });
    known.current = set;
  });
  return (
    <div ref={line} className="filters">
      <fieldset className="pills" aria-label={texts.filters.title}>
        {children}
      </fieldset>
      {end !== undefined && <div className="end">{end}</div>}
    </div>
  );
}

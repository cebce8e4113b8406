import type { ReactElement, ReactNode } from 'react';
import { texts } from '../texts.ts';

interface FilterBarProps {
  readonly children: ReactNode;
  /** Chosen values that need room. */
  readonly below?: ReactNode;
  /** Saved views and orders. */
  readonly end?: ReactNode;
}

/** The filters of a view, and at their end what else decides what is shown. */
export function FilterBar({ children, below, end }: FilterBarProps): ReactElement {
  return (
    <div className="filters">
      <fieldset className="pills" aria-label={texts.filters.title}>
        {children}
      </fieldset>
      {end !== undefined && <div className="end">{end}</div>}
      {below}
    </div>
  );
}

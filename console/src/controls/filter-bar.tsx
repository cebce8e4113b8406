import type { ReactElement, ReactNode } from 'react';
import { texts } from '../texts.ts';

/** The filters of a view, and at their end what else decides what is shown. */
export function FilterBar({
  children,
  below,
  end,
}: {
  children: ReactNode;
  /** Chosen values that need room. */
  below?: ReactNode;
  /** Saved views and orders. */
  end?: ReactNode;
}): ReactElement {
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

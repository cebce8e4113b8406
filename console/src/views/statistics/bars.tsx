import type { ReactElement, ReactNode } from 'react';
import { texts } from '../../texts.ts';

/** Bars below the headings of their columns: clicks, and the figure beside them, if there is one. */
export const Bars = ({
  figure,
  children,
}: {
  figure?: string | undefined;
  children: ReactNode;
}): ReactElement => (
  <div className="bars">
    {figure && (
      <p>
        <span>{texts.statistics.clicks}</span>
        <span>{figure}</span>
      </p>
    )}
    <ul>{children}</ul>
  </div>
);

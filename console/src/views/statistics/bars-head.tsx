import type { ReactElement } from 'react';
import { texts } from '../../texts.ts';

/** The headings of the columns of bars: clicks, and the figure beside them. */
export const BarsHead = ({ figure }: { figure: string }): ReactElement => (
  <p className="bars-head">
    <span>{texts.statistics.clicks}</span>
    <span>{figure}</span>
  </p>
);

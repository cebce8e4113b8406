import type { ReactElement } from 'react';
import { texts } from '../../texts.ts';
import { useChosen } from './values.ts';

/** Tells that figures are of all visitors: the chosen value filters only the top links. */
export function AllVisitors(): ReactElement | null {
  const { chosen } = useChosen();
  return chosen && <p className="quiet all-visitors">{texts.statistics.allVisitors}</p>;
}

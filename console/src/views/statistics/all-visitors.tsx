import type { ReactElement } from 'react';
import { texts } from '../../texts.ts';
import { useChosen } from './values.ts';

/** Says of figures that the chosen value, which filters the top links, does not filter them. */
export function AllVisitors(): ReactElement | null {
  const { chosen } = useChosen();
  return chosen && <p className="quiet all-visitors">{texts.statistics.allVisitors}</p>;
}

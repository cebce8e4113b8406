import { asChange } from '../../words/format.ts';

/** A change in words, and its look: a fall is a warning, but not one of a period that has not ended. Only nothing is a fall by 100 %. */
export function lookOfChange(change: number, isRunning: boolean): { text: string; look: string } {
  const rounded = Math.max(Math.round(change * 100), change > -1 ? -99 : -100);
  const look = rounded > 0 ? 'ok' : rounded < 0 && !isRunning ? 'warn' : '';
  return { text: asChange(rounded / 100), look };
}

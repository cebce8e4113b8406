import type { ReactElement } from 'react';
import { texts } from '../../texts.ts';
import { asChange, inDigits } from '../../words/format.ts';

interface ComparedProps {
  readonly now: number;
  readonly then: number;
  /** True if the period has not ended, so that a fall may not be one. */
  readonly isRunning: boolean;
}

/** A change in words, and its look: a fall is a warning, but not one of a period that has not ended. Only nothing is a fall by 100 %. */
export function lookOfChange(change: number, isRunning: boolean): { text: string; look: string } {
  const rounded = Math.max(Math.round(change * 100), change > -1 ? -99 : -100);
  const look = rounded > 0 ? 'ok' : rounded < 0 && !isRunning ? 'warn' : '';
  return { text: asChange(rounded / 100), look };
}

/** The change, and the number before. */
export function Compared({ now, then, isRunning }: ComparedProps): ReactElement {
  const t = texts.statistics;
  if (then === 0) return <span className="quiet">{t.comparedWith(inDigits(0))}</span>;
  const { text, look } = lookOfChange((now - then) / then, isRunning);
  return (
    <>
      <span className={`badge ${look}`}>{text}</span>
      <span className="quiet">
        {isRunning && `${t.running} `}
        {t.comparedWith(inDigits(then))}
      </span>
    </>
  );
}

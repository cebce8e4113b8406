import type { ReactElement } from 'react';
import { texts } from '../../texts.ts';
import { asChange, inDigits } from '../../words/format.ts';

interface ComparedProps {
  readonly now: number;
  readonly then: number;
  /** True if the period has not ended, so that a fall may not be one. */
  readonly isRunning: boolean;
}

/** The change, and the number before. */
export function Compared({ now, then, isRunning }: ComparedProps): ReactElement {
  const t = texts.statistics;
  if (then === 0) return <span className="quiet">{t.comparedWith(inDigits(0))}</span>;
  const change = Math.round(((now - then) / then) * 100);
  const look = change > 0 ? 'badge ok' : change < 0 && !isRunning ? 'badge warn' : 'badge';
  return (
    <>
      <span className={look}>{asChange(change / 100)}</span>
      <span className="quiet">
        {isRunning && `${t.running} `}
        {t.comparedWith(inDigits(then))}
      </span>
    </>
  );
}

import type { ReactElement } from 'react';
import { texts } from '../../texts.ts';
import { inDigits } from '../../words/format.ts';
import { lookOfChange } from './change.ts';

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

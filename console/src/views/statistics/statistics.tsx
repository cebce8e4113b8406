import { type ReactElement, useState } from 'react';
import { useRead } from '../../data/read.ts';
import { LinkStatisticsBeforeDocument, LinkStatisticsDocument } from '../../generated/documents.ts';
import { asChange, inDigits } from '../../parts/format.ts';
import { FaultNotice, Skeleton } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import { Chart } from './chart.tsx';
import { Dimensions } from './dimensions.tsx';
import { before, intervalOf, lastDays, type Period } from './period.ts';

const presets = [7, 30, 90, 365] as const;

/** The same figures as on the page of statistics, of any period, next to those of the period before. */
export function Statistics({ id }: { id: string }): ReactElement {
  const [now] = useState(() => Date.now());
  const [period, setPeriod] = useState<Period>(() => lastDays(30, now));
  const variables = { id, ...period, interval: intervalOf(period) };
  const { data, fault, again } = useRead(LinkStatisticsDocument, variables);
  const earlier = useRead(LinkStatisticsBeforeDocument, { id, ...before(period) });
  const t = texts.statistics;
  const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
  const figures = data?.link?.statistics;
  const past = earlier.data?.link?.statistics;
  return (
    <div className="statistics">
      <div className="toolbar">
        <fieldset className="segments" aria-label={t.period}>
          {presets.map((days) => {
            const { from, to } = lastDays(days, now);
            return (
              <button
                key={days}
                type="button"
                aria-pressed={period.from === from && period.to === to}
                onClick={() => setPeriod({ from, to })}
              >
                {t.days(days)}
              </button>
            );
          })}
        </fieldset>
        <span className="grow" />
        <label className="inline">
          {t.from}
          <input
            type="date"
            value={period.from}
            max={period.to}
            onChange={({ target: { value } }) =>
              isDay(value) && value <= period.to && setPeriod({ ...period, from: value })
            }
          />
        </label>
        <label className="inline">
          {t.to}
          <input
            type="date"
            value={period.to}
            min={period.from}
            onChange={({ target: { value } }) =>
              isDay(value) && value >= period.from && setPeriod({ ...period, to: value })
            }
          />
        </label>
      </div>
      {fault && <FaultNotice fault={fault} again={again} />}
      {!figures ? (
        !fault && <Skeleton rows={4} />
      ) : (
        <>
          <dl className="totals card">
            {(['clicks', 'visitors', 'bots'] as const).map((name) => (
              <div key={name}>
                <dt>{t[name]}</dt>
                <dd>{inDigits(figures[name])}</dd>
                <dd className="quiet">{past && <Compared now={figures[name]} then={past[name]} />}</dd>
              </div>
            ))}
          </dl>
          <Chart points={figures.series} interval={variables.interval} />
          <Dimensions id={id} period={period} clicks={figures.clicks} />
          <p className="hint">{t.note}</p>
        </>
      )}
    </div>
  );
}

function Compared({ now, then }: { now: number; then: number }): ReactElement {
  const t = texts.statistics;
  if (then === 0) return <>{t.beforeNone}</>;
  return <>{t.compared(asChange((now - then) / then), inDigits(then))}</>;
}

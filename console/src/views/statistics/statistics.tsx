import { type ReactElement, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useRead } from '../../data/read.ts';
import { LinkStatisticsDocument } from '../../generated/documents.ts';
import { asChange, inDigits } from '../../parts/format.ts';
import { Empty, FaultNotice, Skeleton } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import { Chart } from './chart.tsx';
import { DayField } from './day-field.tsx';
import { Dimensions } from './dimensions.tsx';
import { before, intervalOf, lastDays, lengths, type Period, periodOf, withPeriod } from './period.ts';

/** The same figures as on the page of statistics, of any period, next to those of the period before. */
export function Statistics({ id }: { id: string }): ReactElement {
  const [now] = useState(() => Date.now());
  const [location, navigate] = useLocation();
  const query = useSearch();
  const period = periodOf(query, now);
  const setPeriod = (to: Period) => {
    const rest = withPeriod(query, to, now);
    navigate(`${location}${rest && `?${rest}`}`, { replace: true });
  };
  const interval = intervalOf(period);
  const earlier = before(period);
  const { data, fault, again } = useRead(LinkStatisticsDocument, {
    ...{ id, ...period, interval },
    ...{ beforeFrom: earlier.from, beforeTo: earlier.to },
  });
  const t = texts.statistics;
  const figures = data?.link?.statistics;
  const past = data?.link?.before;
  const points = figures?.series
    .filter(({ start }) => Date.parse(start) <= now)
    .map((point, index) => ({ ...point, before: past?.series[index]?.clicks ?? null }));
  return (
    <div className="statistics">
      <div className="toolbar">
        <fieldset className="segments" aria-label={t.period}>
          {lengths.map((days) => {
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
        <div className="range">
          <DayField label={t.from} day={period.from} onDay={(from) => setPeriod({ ...period, from })} />
          <DayField label={t.to} day={period.to} onDay={(to) => setPeriod({ ...period, to })} />
        </div>
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
          {figures.clicks === 0 || !points?.length ? (
            <Empty title={t.nothing} />
          ) : (
            <>
              <Chart points={points} interval={interval} isRunning={period.to >= lastDays(1, now).to} />
              <Dimensions id={id} period={period} clicks={figures.clicks} />
            </>
          )}
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

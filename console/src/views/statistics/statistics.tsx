import { type ReactElement, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { useRead } from '../../data/read.ts';
import { LinkStatisticsDocument } from '../../generated/documents.ts';
import { asChange, betweenUtcDays, inDigits } from '../../parts/format.ts';
import { Empty, FaultNotice, Skeleton } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import { Chart } from './chart.tsx';
import { DayField } from './day-field.tsx';
import { Dimensions } from './dimensions.tsx';
import {
  before,
  intervalOf,
  lastDays,
  lengths,
  monthOf,
  type Period,
  periodOf,
  withPeriod,
} from './period.ts';

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
  const t = texts.statistics;
  const presets = [
    ...lengths.map((days) => ({ name: t.days(days), of: lastDays(days, now) })),
    { name: t.thisMonth, of: monthOf('this', now) },
    { name: t.lastMonth, of: monthOf('last', now) },
  ];
  const interval = intervalOf(period);
  const earlier = before(period);
  const { data, fault, again } = useRead(LinkStatisticsDocument, {
    ...{ id, ...period, interval },
    ...{ beforeFrom: earlier.from, beforeTo: earlier.to },
  });
  const figures = data?.link?.statistics;
  const past = data?.link?.before;
  const points = figures?.series
    .filter(({ start }) => Date.parse(start) <= now)
    .map((point, index) => ({ ...point, before: past?.series[index]?.clicks ?? null }));
  return (
    <div className="statistics">
      <div className="toolbar">
        <fieldset className="segments" aria-label={t.period}>
          {presets.map(({ name, of }) => (
            <button
              key={name}
              type="button"
              aria-pressed={period.from === of.from && period.to === of.to}
              onClick={() => setPeriod(of)}
            >
              {name}
            </button>
          ))}
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
                <dd className="quiet">
                  {past && <Compared now={figures[name]} then={past[name]} days={betweenUtcDays(past)} />}
                </dd>
              </div>
            ))}
          </dl>
          {figures.clicks === 0 || !points?.length ? (
            <Empty title={t.nothing} />
          ) : (
            <>
              <Chart points={points} interval={interval} isRunning={period.to >= lastDays(1, now).to} />
              <Dimensions id={id} period={period} />
            </>
          )}
          <p className="hint">{t.note}</p>
        </>
      )}
    </div>
  );
}

function Compared({ now, then, days }: { now: number; then: number; days: string }): ReactElement {
  const t = texts.statistics;
  if (then === 0) return <>{t.beforeNone(days)}</>;
  return <>{t.compared(asChange((now - then) / then), inDigits(then), days)}</>;
}

import { type ReactElement, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { saveFile } from '../../data/download.ts';
import { useRead } from '../../data/read.ts';
import { StatisticsOfDocument } from '../../generated/documents.ts';
import { DownloadButton } from '../../parts/download.tsx';
import { asChange, betweenUtcDays, inDigits } from '../../parts/format.ts';
import { Empty, FaultNotice, Skeleton } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import { Chart } from './chart.tsx';
import type { Point } from './chart-table.tsx';
import { DayField } from './day-field.tsx';
import { Dimensions } from './dimensions.tsx';
import { asking, type Owner, readOf } from './owner.ts';
import {
  before,
  daysIn,
  intervalOf,
  lastDays,
  lengths,
  monthOf,
  type Period,
  periodOf,
  withPeriod,
} from './period.ts';
import { TopLinks } from './top-links.tsx';

/** The same figures as on the page of statistics, of any period, next to those of the period before. */
export function Statistics({ owner }: { owner: Owner }): ReactElement {
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
  const { data, fault, again } = useRead(StatisticsOfDocument, {
    ...{ ...asking(owner), ...period, interval },
    ...{ beforeFrom: earlier.from, beforeTo: earlier.to },
  });
  const { statistics: figures, before: past } = readOf(data) ?? {};
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
            <Empty title={t.nothing}>{t.nothingYet}</Empty>
          ) : (
            <>
              <Chart points={points} interval={interval} isRunning={period.to >= lastDays(1, now).to} />
              {owner.kind !== 'link' && <TopLinks owner={owner} period={period} />}
              <Dimensions owner={owner} period={period} />
              <Download owner={owner} period={period} points={points} />
            </>
          )}
          <p className="hint">{t.note}</p>
        </>
      )}
    </div>
  );
}

/** The days of a link as the service has them; of more links, the figures that are shown. */
function Download({
  owner: { kind, id },
  period,
  points,
}: {
  owner: Owner;
  period: Period;
  points: readonly Point[];
}): ReactElement {
  const columns = ['start', 'clicks', 'visitors'] as const;
  const lines = points.map((point) => columns.map((column) => point[column] ?? '').join(','));
  const save = () => saveFile('statistics.csv', [[columns.join(','), ...lines, ''].join('\r\n')]);
  return (
    <div>
      {kind === 'link' ? (
        <DownloadButton
          body={{ kind: 'statistics', link_id: id, ...period, sort_by: 'value', sort: 'asc' }}
          countRecords={() => Promise.resolve(daysIn(period))}
        />
      ) : (
        <button type="button" className="button text small" onClick={save}>
          {texts.download}
        </button>
      )}
    </div>
  );
}

function Compared({ now, then, days }: { now: number; then: number; days: string }): ReactElement {
  const t = texts.statistics;
  if (then === 0) return <>{t.beforeNone(days)}</>;
  return (
    <>
      <span className={`badge ${now < then ? 'warn' : 'ok'}`}>{asChange((now - then) / then)}</span>{' '}
      {t.comparedWith(inDigits(then), days)}
    </>
  );
}

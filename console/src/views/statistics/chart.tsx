import { type ReactElement, type ReactNode, useState } from 'react';
import {
  atUtcHour,
  atUtcTime,
  inDigits,
  inShort,
  inUtcMonth,
  onUtcDay,
  onUtcDays,
} from '../../parts/format.ts';
import { Segments } from '../../parts/segments.tsx';
import { texts } from '../../texts.ts';
import { ChartTable } from './chart-table.tsx';
import type { Comparison, Interval, Point } from './period.ts';

/** The maximum number of grid lines above the bottom, and of labels below. */
const MAX_LINES = 4;
const MAX_LABELS = 6;
/** From how many points on the lines are thin. */
const THIN_FROM = 100;

/** The values of the grid lines, from 0: round whole numbers, the last at least the highest count. */
function gridOf(highest: number): number[] {
  const rough = Math.max(highest, 1) / MAX_LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.ceil([1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough);
  return Array.from({ length: Math.ceil(Math.max(highest, 1) / step) + 1 }, (_, line) => line * step);
}

function labelOf({ start, last }: Point, interval: Interval): string {
  if (interval === 'MONTH') return inUtcMonth(start);
  if (interval === 'WEEK') return onUtcDays(start, last);
  return interval === 'HOUR' ? atUtcHour(start) : onUtcDay(start);
}

/** What fits below the chart. */
const shortLabels: Partial<Record<Interval, (start: string) => string>> = {
  HOUR: atUtcTime,
  MONTH: inUtcMonth,
};

/** Clicks and visitors over time, and the clicks of the days that they are compared with. */
export function Chart({
  points,
  interval,
  intervals,
  onInterval,
  comparison,
  isRunning,
  children,
}: {
  points: readonly Point[];
  interval: Interval;
  /** Those to choose from. */
  intervals: readonly Interval[];
  onInterval: (interval: Interval) => void;
  comparison: Comparison;
  /** Whether the last point is of an interval that has not ended: lines to it are dotted. */
  isRunning: boolean;
  /** Stands beside the choice. */
  children: ReactNode;
}): ReactElement {
  const [at, setAt] = useState<number | null>(null);
  const t = texts.statistics;
  const highest = Math.max(
    ...points.flatMap(({ clicks, visitors, before }) => [clicks, visitors ?? 0, before ?? 0]),
  );
  const grid = gridOf(highest);
  const top = grid.at(-1) ?? 1;
  const last = points.length - 1;
  // In a box of 100 by 100, which is stretched to its place.
  const x = (index: number) => (last < 1 ? 50 : (index / last) * 100);
  const y = (value: number) => 100 - (value / top) * 100;
  const placesOf = (values: readonly (number | null)[]) =>
    values.flatMap((value, index) =>
      value === null ? [] : [`${x(index).toFixed(2)},${y(value).toFixed(2)}`],
    );
  const clicks = placesOf(points.map((point) => point.clicks));
  const hasVisitors = points.some(({ visitors }) => visitors !== null);
  const hasBefore = points.some(({ before }) => before !== null && before > 0);
  const ended = isRunning ? last : last + 1;
  const line = (kind: string, places: readonly string[]) => (
    <>
      <polyline className={kind} points={places.slice(0, ended).join(' ')} />
      {isRunning && <polyline className={`${kind} running`} points={places.slice(-2).join(' ')} />}
    </>
  );
  const nameOf = (point: Point, index: number) =>
    labelOf(point, interval) + (isRunning && index === last ? ` (${t.running})` : '');
  const pointed = at === null ? undefined : points[at];
  const busiest = points.reduce((most, one) => (most.clicks >= one.clicks ? most : one));
  const every = Math.ceil(points.length / MAX_LABELS);
  return (
    <section className="card chart">
      <header>
        <h2>{hasVisitors ? t.overTime : t.clicksOverTime}</h2>
        <div className="choices">
          <Segments
            label={t.interval}
            items={intervals.map((one) => ({ key: one, name: t.intervals[one] }))}
            chosen={interval}
            onChoose={onInterval}
          />
          {children}
        </div>
      </header>
      <p className="readout" aria-hidden="true">
        {pointed ? (
          t.readout(
            nameOf(pointed, at ?? 0),
            inDigits(pointed.clicks),
            pointed.visitors === null ? null : inDigits(pointed.visitors),
            hasBefore && pointed.before !== null ? inDigits(pointed.before) : null,
          )
        ) : (
          <>
            <span className="key clicks">{t.clicks}</span>
            {hasVisitors && <span className="key visitors">{t.visitors}</span>}
            {hasBefore && <span className="key before">{t.clicksThen[comparison]}</span>}
            {isRunning && <span className="key running">{t.unfinished}</span>}
          </>
        )}
      </p>
      <div className="plot">
        <svg className="scale" aria-hidden="true">
          {grid.map((value) => (
            <text key={value} x="100%" y={`${y(value)}%`} dy="4" textAnchor="end">
              {inShort(value)}
            </text>
          ))}
        </svg>
        <svg
          className={points.length > THIN_FROM ? 'many' : undefined}
          viewBox="0 0 100 100"
          preserveAspectRatio="none"
          role="img"
          aria-label={t.chart(inDigits(busiest.clicks), labelOf(busiest, interval))}
          onPointerMove={({ clientX, currentTarget }) => {
            const { left, width } = currentTarget.getBoundingClientRect();
            const index = Math.round(((clientX - left) / width) * last);
            setAt(Math.min(Math.max(index, 0), last));
          }}
          onPointerLeave={() => setAt(null)}
        >
          {grid.map((value) => (
            <line key={value} x1="0" x2="100" y1={y(value)} y2={y(value)} className="grid" />
          ))}
          {ended > 0 && (
            <polygon
              className="area"
              points={`${x(0)},100 ${clicks.slice(0, ended).join(' ')} ${x(ended - 1)},100`}
            />
          )}
          {hasBefore && (
            <polyline className="before" points={placesOf(points.map((point) => point.before)).join(' ')} />
          )}
          {line('clicks', clicks)}
          {hasVisitors && line('visitors', placesOf(points.map((point) => point.visitors ?? 0)))}
          {at !== null && <line className="pointer" x1={x(at)} x2={x(at)} y1="0" y2="100" />}
        </svg>
        <svg className="labels" aria-hidden="true">
          {points.map((point, index) =>
            (last - index) % every > 0 || (index > 0 && index < every / 2) ? null : (
              <text
                key={point.start}
                x={`${x(index)}%`}
                y="14"
                textAnchor={index === last ? 'end' : index === 0 ? 'start' : 'middle'}
                // Every other one is hidden on narrow screens.
                className={((last - index) / every) % 2 === 1 ? 'spare' : undefined}
              >
                {(shortLabels[interval] ?? onUtcDay)(point.start)}
              </text>
            ),
          )}
        </svg>
      </div>
      <ChartTable
        points={points}
        nameOf={nameOf}
        interval={interval}
        hasVisitors={hasVisitors}
        hasBefore={hasBefore}
        comparison={comparison}
      />
    </section>
  );
}

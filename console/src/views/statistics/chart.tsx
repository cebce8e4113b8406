import { type ReactElement, useState } from 'react';
import { Segments } from '../../controls/segments.tsx';
import { saveCsv } from '../../data/save-file.ts';
import { Icon } from '../../parts/icon.tsx';
import { texts } from '../../texts.ts';
import {
  atUtcHour,
  atUtcTime,
  inDigits,
  inShort,
  inUtcMonth,
  onUtcDay,
  onUtcDays,
} from '../../words/format.ts';
import { AllVisitors } from './all-visitors.tsx';
import { ChartTable } from './chart-table.tsx';
import { listColumns, timesOfFile } from './figures.ts';
import type { Comparison, Interval, Point, Span } from './period.ts';

/** The maximum number of grid lines above the bottom, and of labels below. */
const MAX_LINES = 4;
const MAX_LABELS = 6;
/** The number of points from which lines are thin. */
const THIN_FROM = 100;

/** The values of the grid lines, from 0: round whole numbers, the last at least the highest count. */
function gridLines(highest: number): number[] {
  const rough = Math.max(highest, 1) / MAX_LINES;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.ceil([1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? rough);
  return Array.from({ length: Math.ceil(Math.max(highest, 1) / step) + 1 }, (_, line) => line * step);
}

function formatSpan({ start, last }: Span, interval: Interval): string {
  if (interval === 'MONTH') return inUtcMonth(start);
  if (interval === 'WEEK') return onUtcDays(start, last);
  return interval === 'HOUR' ? atUtcHour(start) : onUtcDay(start);
}

/** Labels that fit below the chart. */
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
  fileName,
}: {
  points: readonly Point[];
  interval: Interval;
  /** Those to choose from. */
  intervals: readonly Interval[];
  onInterval: (interval: Interval) => void;
  comparison: Comparison;
  /** True if the interval of the last point has not ended. */
  isRunning: boolean;
  fileName: string;
}): ReactElement {
  const [at, setAt] = useState<number | null>(null);
  const t = texts.statistics;
  const highest = Math.max(
    ...points.flatMap(({ clicks, visitors, earlier }) => [clicks, visitors ?? 0, earlier?.clicks ?? 0]),
  );
  const grid = gridLines(highest);
  const top = grid.at(-1) ?? 1;
  const last = points.length - 1;
  // Coordinates in a box of 100 by 100, which is stretched to its place.
  const x = (index: number) => (last < 1 ? 50 : (index / last) * 100);
  const y = (value: number) => 100 - (value / top) * 100;
  const hasVisitors = points.some(({ visitors }) => visitors !== null);
  const hasEarlier = points.some(({ earlier }) => earlier !== null);
  const isCut = (point: Point | undefined) => point !== undefined && point.days < point.of;
  // Only the first and the last point may cover a part of their interval: lines to them are dotted.
  const firstWhole = isCut(points[0]) ? 1 : 0;
  const lastNotCut = isCut(points[last]) ? last - 1 : last;
  const lastWhole = isRunning ? last - 1 : lastNotCut;
  type CountOf = (point: Point) => number | null | undefined;
  const toPlaces = (countOf: CountOf, from: number, to: number) =>
    points.flatMap((point, index) => {
      const count = index < from || index > to ? null : countOf(point);
      return count == null ? [] : [`${x(index).toFixed(2)},${y(count).toFixed(2)}`];
    });
  const stretch = (kind: string, countOf: CountOf, from: number, to: number) => {
    const places = toPlaces(countOf, from, to);
    // One alone is a dot.
    if (places.length === 1) return <polyline className={`${kind} dot`} points={`${places} ${places}`} />;
    return <polyline className={kind} points={places.join(' ')} />;
  };
  const line = (kind: string, countOf: CountOf, to = lastWhole) => (
    <>
      {stretch(kind, countOf, firstWhole, to)}
      {firstWhole > 0 && stretch(`${kind} partial`, countOf, 0, firstWhole)}
      {to < last && stretch(`${kind} partial`, countOf, to, last)}
    </>
  );
  const describeChange = (span: Span, point: Point) =>
    [
      ...(span.days < point.of ? [t.partOf(span.days, point.of)] : []),
      ...(isRunning && span === points[last] ? [t.running] : []),
    ].join(', ');
  const describePoint = (span: Span, point: Point) => {
    const note = describeChange(span, point);
    return formatSpan(span, interval) + (note && ` (${note})`);
  };
  const save = () => {
    // Some columns have no note.
    const columns = listColumns(points, comparison, timesOfFile(interval, describeChange)).filter(({ of }) =>
      points.some((point) => of(point) !== ''),
    );
    saveCsv(fileName, [
      columns.map(({ name }) => name),
      ...points.map((point) => columns.map(({ of }) => of(point))),
    ]);
  };
  const downloadName = texts.downloadOf(`${t.overTime} · ${t.intervals[interval]}`);
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
          <button
            type="button"
            className="bare"
            aria-label={downloadName}
            title={downloadName}
            onClick={save}
          >
            <Icon name="download" />
          </button>
        </div>
      </header>
      <AllVisitors />
      <p className="readout" aria-hidden="true">
        {pointed ? (
          t.readout(
            describePoint(pointed, pointed),
            pointed.clicks,
            pointed.visitors,
            pointed.earlier?.clicks ?? null,
          )
        ) : (
          <>
            <span className="key clicks">{t.clicks}</span>
            {hasVisitors && <span className="key visitors">{t.visitors}</span>}
            {hasEarlier && <span className="key earlier">{t.earlier[comparison](t.clicks)}</span>}
            {(firstWhole > 0 || lastWhole < last) && (
              <span className="key partial">
                {firstWhole > 0 || lastNotCut < last ? t.incomplete : t.unfinished}
              </span>
            )}
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
          aria-label={t.chart(inDigits(busiest.clicks), formatSpan(busiest, interval))}
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
          {firstWhole <= lastWhole && (
            <polygon
              className="area"
              points={`${x(firstWhole)},100 ${toPlaces(({ clicks }) => clicks, firstWhole, lastWhole).join(' ')} ${x(lastWhole)},100`}
            />
          )}
          {hasEarlier && line('earlier', ({ earlier }) => earlier?.clicks, lastNotCut)}
          {line('clicks', ({ clicks }) => clicks)}
          {hasVisitors && line('visitors', ({ visitors }) => visitors)}
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
        columns={listColumns(points, comparison, [{ name: t.intervals[interval], of: describePoint }])}
      />
    </section>
  );
}

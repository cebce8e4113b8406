import type { ReactElement } from 'react';
import { saveCsv } from '../../data/save-file.ts';
import { lazily } from '../../parts/lazily.tsx';
import { texts } from '../../texts.ts';
import { inDigits } from '../../words/format.ts';
import { AllVisitors } from './all-visitors.tsx';
import { ChartHead } from './chart-head.tsx';
import { ChartTable } from './chart-table.tsx';
import { listColumns, timesOfFile } from './figures.ts';
import { useLines } from './lines.ts';
import type { Owner } from './owner.ts';
import type { Comparison, Interval, Point } from './period.ts';
import { Key, Plot, type PlotLine } from './plot.tsx';
import { formatSpan, wholenessOf } from './spans.ts';

const NextLine = lazily(
  async () => (await import('./compare-field.tsx')).NextLine,
  <div className="legend-bar" />,
);

/** Clicks and visitors over time, and the clicks of the days that they are compared with. */
export function Chart({
  points,
  interval,
  intervals,
  onInterval,
  comparison,
  isRunning,
  fileName,
  owner,
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
  owner: Owner;
}): ReactElement {
  const { lines: compared, begin } = useLines(owner);
  const t = texts.statistics;
  const whole = wholenessOf(points, interval, isRunning);
  const { notCut, describeChange, describePoint } = whole;
  const last = points.length - 1;
  const hasVisitors = points.some(({ visitors }) => visitors !== null);
  const hasEarlier = points.some(({ earlier }) => earlier !== null);
  const lines: PlotLine[] = [
    { kind: 'clicks', name: t.clicks, counts: points.map(({ clicks }) => clicks) },
    ...(hasVisitors
      ? [{ kind: 'visitors', name: t.visitors, counts: points.map(({ visitors }) => visitors) }]
      : []),
    ...(hasEarlier
      ? [
          {
            ...{ kind: 'earlier', name: t.earlier[comparison](t.clicks), to: notCut },
            counts: points.map(({ earlier }) => earlier?.clicks ?? null),
          },
        ]
      : []),
  ];
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
  const busiest = points.reduce((most, one) => (most.clicks >= one.clicks ? most : one));
  return (
    <section className="card chart">
      <ChartHead
        title={hasVisitors ? t.overTime : t.clicksOverTime}
        downloadName={t.overTime}
        {...{ interval, intervals, onInterval }}
        onSave={save}
      >
        <button
          type="button"
          className="button text small"
          aria-expanded={compared !== null}
          onClick={begin}
          onPointerEnter={NextLine.preload}
          onFocus={NextLine.preload}
        >
          {t.compare}
        </button>
      </ChartHead>
      <AllVisitors />
      {compared && <NextLine owner={owner} />}
      <p className="legend" aria-hidden="true">
        {lines.map(({ kind, name }) => (
          <Key key={kind} kind={kind}>
            {name}
          </Key>
        ))}
        {(whole.from > 0 || whole.to < last) && (
          <Key kind="partial">{whole.from > 0 || notCut < last ? t.incomplete : t.unfinished}</Key>
        )}
      </p>
      <Plot
        {...{ points, interval, lines, whole }}
        hasArea
        label={t.chart(inDigits(busiest.clicks), formatSpan(busiest, interval))}
        pointLabel={t.intervals[interval]}
        describe={(index) => {
          const point = points[index];
          return point ? describePoint(point, point) : '';
        }}
      />
      <ChartTable
        points={points}
        columns={listColumns(points, comparison, [{ name: t.intervals[interval], of: describePoint }])}
      />
    </section>
  );
}

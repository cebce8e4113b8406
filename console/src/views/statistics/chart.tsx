import type { ReactElement } from 'react';
import { Button } from '../../controls/button.tsx';
import { lazily } from '../../parts/lazily.tsx';
import { texts } from '../../texts.ts';
import { inDigits } from '../../words/format.ts';
import { AllVisitors } from './all-visitors.tsx';
import { ChartHead, type Intervals } from './chart-head.tsx';
import { ChartTable } from './chart-table.tsx';
import { listColumns, saveFigures, timesOfFile } from './figures.ts';
import { useLines } from './lines.ts';
import type { Owner } from './owner.ts';
import type { Comparison, Point } from './period.ts';
import { Key, Plot, type PlotLine } from './plot.tsx';
import { formatSpan, wholenessOf } from './spans.ts';

const NextLine = lazily(
  async () => (await import('./compare-field.tsx')).NextLine,
  <div className="legend-bar" />,
);

interface ChartProps extends Intervals {
  readonly points: readonly Point[];
  readonly comparison: Comparison;
  /** True if the interval of the last point has not ended. */
  readonly isRunning: boolean;
  readonly fileName: string;
  readonly owner: Owner;
}

/** Clicks and visitors over time, and the clicks of the days that they are compared with. */
export function Chart(props: ChartProps): ReactElement {
  const { points, interval, intervals, onInterval, comparison, isRunning, fileName, owner } = props;
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
  const save = () =>
    saveFigures(fileName, points, listColumns(points, comparison, timesOfFile(interval, describeChange)));
  const busiest = points.reduce((most, one) => (most.clicks >= one.clicks ? most : one));
  return (
    <section className="card chart">
      <ChartHead
        title={hasVisitors ? t.overTime : t.clicksOverTime}
        downloadName={t.overTime}
        {...{ interval, intervals, onInterval }}
        onSave={save}
      >
        <Button
          look="text small"
          icon="compare"
          text={t.compare}
          aria-expanded={compared !== null}
          onClick={begin}
          onPointerEnter={NextLine.preload}
          onFocus={NextLine.preload}
        />
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
      />
      <ChartTable
        points={points}
        columns={listColumns(points, comparison, [{ name: t.intervals[interval], of: describePoint }])}
      />
    </section>
  );
}

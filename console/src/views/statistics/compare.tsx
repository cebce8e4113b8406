import type { ReactElement } from 'react';
import { Button, IconButton } from '../../controls/button.tsx';
import { moreTexts } from '../../more-texts.ts';
import { Unread } from '../../parts/notice.tsx';
import { texts } from '../../texts.ts';
import { inDigits } from '../../words/format.ts';
import { ChartHead, type Intervals } from './chart-head.tsx';
import { ChartTable } from './chart-table.tsx';
import { CompareField } from './compare-field.tsx';
import { Compared } from './compared.tsx';
import { saveFigures, timesOfFile } from './figures.ts';
import { type ComparedLine, useLines } from './lines.ts';
import type { OwnerPeriod } from './owner.ts';
import type { Period, Point } from './period.ts';
import { Key, lineName, Plot, type PlotLine } from './plot.tsx';
import { formatSpan, wholenessOf } from './spans.ts';
import { type ReadLine, sumOf, useLine } from './use-line.ts';

interface ComparedPoint extends Point {
  readonly counts: readonly number[];
}

/** The clicks of up to three links, spaces, tags or values over time, each as a line. */
export function Compare({
  owner,
  period,
  earlier,
  interval,
  intervals,
  onInterval,
  isRunning,
}: OwnerPeriod &
  Intervals & {
    isRunning: boolean;
    /** The period that the clicks of each line are compared with. */
    earlier: Period | undefined;
  }): ReactElement {
  const { lines: asked, isFull, isChosen, setLines } = useLines(owner);
  const lines = asked ?? [];
  // Values have no hours.
  const hasValue = lines.some(({ kind }) => kind === 'value');
  const each = hasValue && interval === 'HOUR' ? 'DAY' : interval;
  const [one, two, three] = lines;
  // As many as there may be lines.
  const all = [
    useLine(owner, period, each, one),
    useLine(owner, period, each, two),
    useLine(owner, period, each, three),
  ].slice(0, lines.length);
  const past = earlier ?? period;
  const before = [
    useLine(owner, past, 'DAY', earlier && one),
    useLine(owner, past, 'DAY', earlier && two),
    useLine(owner, past, 'DAY', earlier && three),
  ].map((line) => earlier && sumOf(line));
  const t = texts.statistics;
  const { compare: c } = moreTexts;
  const fault = all.find((line) => line.fault)?.fault ?? null;
  const again = () => {
    for (const line of all) line.again();
  };
  const points = joinPoints(all);
  const whole = wholenessOf(points, each, isRunning);
  const plotted: PlotLine[] = all.map(({ name, shortUrl }, index) => ({
    ...{ kind: `line-${index + 1}`, name, shortUrl },
    counts: points.map(({ counts }) => counts[index] ?? 0),
  }));
  const sums = all.map(sumOf);
  const title = lines.length === 1 ? `${t.clicks} · ${all[0]?.name}` : c.title;
  const counted = plotted.map(({ name }, index) => ({
    name,
    of: ({ counts }: ComparedPoint) => counts[index] ?? 0,
  }));
  const save = () => {
    const times = timesOfFile(each, whole.describeChange).map(({ name, of }) => ({
      name,
      of: (point: ComparedPoint) => of(point, point),
    }));
    const fileName = `clicks-by-${each.toLowerCase()}-${period.from}-to-${period.to}.csv`;
    saveFigures(fileName, points, [...times, ...counted]);
  };
  const without = (line: ComparedLine) => {
    const others = lines.filter((other) => other !== line);
    setLines(others.length > 0 ? others : null);
  };
  return (
    <section className="card chart compared-lines" aria-label={title}>
      <ChartHead
        title={title}
        downloadName={c.title}
        {...{ interval: each, onInterval, onSave: save }}
        intervals={hasValue ? intervals.filter((other) => other !== 'HOUR') : intervals}
      >
        {!isChosen && (
          <Button
            look="text small"
            text={lines.length === 1 ? t.allClicks : c.end}
            onClick={() => setLines(null)}
          />
        )}
      </ChartHead>
      <div className="legend-bar">
        <ul className="legend">
          {plotted.map(({ kind, name, shortUrl }, index) => (
            <li key={kind} className="line">
              <Key kind={kind}>{lineName({ name, shortUrl })}</Key>
              <b>{inDigits(sums[index] ?? 0)}</b>
              {before[index] !== undefined && (
                <Compared now={sums[index] ?? 0} then={before[index]} isRunning={isRunning} />
              )}
              {!isChosen && (
                <IconButton
                  icon="close"
                  name={c.without(name)}
                  onClick={() => lines[index] && without(lines[index])}
                />
              )}
            </li>
          ))}
        </ul>
        {!isFull && <CompareField lines={lines} onLine={(line) => setLines([...lines, line])} />}
      </div>
      <Unread fault={fault} again={again} rows={4} isKept={points.length > 0} />
      {points.length > 0 && (
        <>
          <Plot
            {...{ points, whole }}
            interval={each}
            lines={plotted}
            label={c.chart(plotted.map(({ name }) => name).join(', '))}
          />
          <ChartTable
            points={points}
            columns={[{ name: t.intervals[each], of: (point) => formatSpan(point, each) }, ...counted]}
          />
        </>
      )}
    </section>
  );
}

/** The points of the lines that are read, side by side; none if one has none yet. */
function joinPoints(all: readonly ReadLine[]): ComparedPoint[] {
  const [first] = all;
  if (!first || all.some(({ points }) => points.length !== first.points.length)) return [];
  return first.points.map((point, index) => ({
    ...point,
    counts: all.map(({ points }) => points[index]?.clicks ?? 0),
  }));
}

import { type ReactElement, useState } from 'react';
import { inDigits } from '../../parts/format.ts';
import { texts } from '../../texts.ts';
import type { Comparison, Interval, Point } from './period.ts';

/** The numbers of a chart, the newest first, or those with the most of a column. */
export function ChartTable({
  points,
  nameOf,
  interval,
  hasVisitors,
  hasBefore,
  comparison,
}: {
  points: readonly Point[];
  nameOf: (point: Point, index: number) => string;
  interval: Interval;
  hasVisitors: boolean;
  hasBefore: boolean;
  comparison: Comparison;
}): ReactElement {
  const t = texts.statistics;
  const [sortedBy, setSortedBy] = useState<string | null>(null);
  const columns = [
    { name: t.intervals[interval], countOf: null },
    { name: t.clicks, countOf: (point: Point) => point.clicks },
    ...(hasVisitors ? [{ name: t.visitors, countOf: (point: Point) => point.visitors }] : []),
    ...(hasBefore ? [{ name: t.clicksThen[comparison], countOf: (point: Point) => point.before }] : []),
  ];
  const sorted = columns.find(({ name }) => name === sortedBy) ?? columns[0];
  const rows = points.map((point, index) => ({ point, name: nameOf(point, index) })).reverse();
  const countOf = sorted?.countOf;
  if (countOf) rows.sort((one, other) => (countOf(other.point) ?? 0) - (countOf(one.point) ?? 0));
  return (
    <details>
      <summary>{t.table}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroll" aria-label={t.table} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column.name} scope="col" aria-sort={column === sorted ? 'descending' : undefined}>
                  <button type="button" onClick={() => setSortedBy(column.name)}>
                    {column.name}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ point, name }) => (
              <tr key={point.start}>
                <th scope="row">{name}</th>
                {columns.map((column) =>
                  column.countOf ? <td key={column.name}>{inDigits(column.countOf(point) ?? 0)}</td> : null,
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

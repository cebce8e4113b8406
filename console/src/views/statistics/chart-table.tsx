import type { ReactElement } from 'react';
import type { StatisticsInterval } from '../../generated/documents.ts';
import { inDigits } from '../../parts/format.ts';
import { texts } from '../../texts.ts';

export interface Point {
  readonly start: string;
  readonly clicks: number;
  readonly visitors: number | null;
  /** The clicks in the period before; null if it is shorter. */
  readonly before: number | null;
}

/** The numbers of a chart, the newest first. */
export function ChartTable({
  points,
  nameOf,
  interval,
  hasVisitors,
  hasBefore,
}: {
  points: readonly Point[];
  nameOf: (point: Point, index: number) => string;
  interval: StatisticsInterval;
  hasVisitors: boolean;
  hasBefore: boolean;
}): ReactElement {
  const t = texts.statistics;
  const columns = [
    { name: t.clicks, countOf: (point: Point) => point.clicks },
    ...(hasVisitors ? [{ name: t.visitors, countOf: (point: Point) => point.visitors }] : []),
    ...(hasBefore ? [{ name: t.clicksBefore, countOf: (point: Point) => point.before }] : []),
  ];
  const rows = points.map((point, index) => (
    <tr key={point.start}>
      <th scope="row">{nameOf(point, index)}</th>
      {columns.map(({ name, countOf }) => (
        <td key={name}>{inDigits(countOf(point) ?? 0)}</td>
      ))}
    </tr>
  ));
  return (
    <details>
      <summary>{t.table}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="scroll" aria-label={t.table} tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">{t.intervals[interval]}</th>
              {columns.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{rows.reverse()}</tbody>
        </table>
      </section>
    </details>
  );
}

import { type ReactElement, useState } from 'react';
import { texts } from '../../texts.ts';
import { inDigits } from '../../words/format.ts';
import type { Column } from './figures.ts';

const shown = (value: string | number | null): string =>
  typeof value === 'number' ? inDigits(value) : (value ?? '–');

/** The numbers of a chart, the newest first, or those with the most of a column. */
export function ChartTable<P extends { readonly start: string }>({
  points,
  columns,
}: {
  points: readonly P[];
  /** The first one is the time. */
  columns: readonly Column<P>[];
}): ReactElement {
  const t = texts.statistics;
  const [sortedBy, setSortedBy] = useState<string | null>(null);
  const sorted = columns.find(({ name }) => name === sortedBy) ?? columns[0];
  const rows = points.toReversed();
  const rank = (point: P) => Number(sorted?.of(point) ?? 0);
  // Times are in order already; their words are not sorted.
  rows.sort((one, other) => rank(other) - rank(one) || 0);
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
            {rows.map((point) => (
              <tr key={point.start}>
                {columns.map(({ name, of }, index) =>
                  index === 0 ? (
                    <th key={name} scope="row">
                      {shown(of(point))}
                    </th>
                  ) : (
                    <td key={name}>{shown(of(point))}</td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </details>
  );
}

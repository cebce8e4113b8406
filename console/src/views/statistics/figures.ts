import { saveCsv } from '../../data/save-file.ts';
import { texts } from '../../texts.ts';
import type { Comparison, Interval, Point, Span } from './period.ts';

/** A column of the figures over time. */
export interface Column<P = Point> {
  readonly name: string;
  readonly of: (point: P) => string | number | null;
}

/** A column with the time of a count. */
export interface TimeColumn {
  readonly name: string;
  readonly of: (span: Span, point: Point) => string;
}

/** The columns of times and counts, then those of the earlier days. */
export function listColumns(
  points: readonly Point[],
  comparison: Comparison,
  times: readonly TimeColumn[],
): Column[] {
  const t = texts.statistics;
  const hasVisitors = points.some(({ visitors }) => visitors !== null);
  const counts = (['clicks', 'visitors', 'bots'] as const).filter((one) => one !== 'visitors' || hasVisitors);
  const columnsFor = (spanOf: (point: Point) => Span | null, named: (what: string) => string): Column[] => [
    ...times.map(({ name, of }) => ({
      name: named(name),
      of: (point: Point) => {
        const span = spanOf(point);
        return span && of(span, point);
      },
    })),
    ...counts.map((one) => ({
      name: named(t[one]),
      of: (point: Point) => spanOf(point)?.[one] ?? null,
    })),
  ];
  return [
    ...columnsFor(
      (point) => point,
      (what) => what,
    ),
    ...(points.some(({ earlier }) => earlier)
      ? columnsFor(({ earlier }) => earlier, t.earlier[comparison])
      : []),
  ];
}

/** Times as spreadsheets read them. */
export function timesOfFile(interval: Interval, noteOf: TimeColumn['of']): TimeColumn[] {
  const t = texts.statistics;
  const name = t.intervals[interval];
  const note = { name: t.remark, of: noteOf };
  if (interval === 'HOUR')
    return [{ name: `${name} (UTC)`, of: ({ start }) => start.slice(0, 16).replace('T', ' ') }, note];
  if (interval === 'DAY') return [{ name, of: ({ start }) => start.slice(0, 10) }, note];
  return [
    { name: `${name} (${t.from.toLowerCase()})`, of: ({ start }) => start.slice(0, 10) },
    { name: `${name} (${t.to})`, of: ({ last }) => last.slice(0, 10) },
    note,
  ];
}

/** Saves points as a file, but for columns in which nothing stands, such as notes. */
export function saveFigures<P>(fileName: string, points: readonly P[], all: readonly Column<P>[]): void {
  const columns = all.filter(({ of }) => points.some((point) => of(point) !== ''));
  const rows = points.map((point) => columns.map(({ of }) => of(point)));
  saveCsv(fileName, [columns.map(({ name }) => name), ...rows]);
}

import type { Data } from '../database.ts';
import { join, name, type Sql, sql } from '../sql.ts';
import { joinedTo, type List, orderingOfAll, pageOf, rowsOf, type Window } from './keyset.ts';

export interface ListRange {
  readonly list: List;
  readonly window: Window;
}

/**
 * The rows of each range, in its list's order, in one statement. All lists are of one table, whose model is `Row`, but times
 * are ISO text.
 */
export async function readRowsOfEach<Row>(db: Data, ranges: readonly ListRange[]): Promise<Row[][]> {
  const inOrder = (rows: Row[], { window }: ListRange) => (window.fromEnd ? rows.reverse() : rows);
  const [only] = ranges;
  if (only && ranges.length === 1) {
    return [inOrder(await db.read<Row>(rowsOf(only.list, only.window), 'text'), only)];
  }
  const parts = ranges.map(
    ({ list, window }, part) => sql`SELECT CAST(${part} AS INTEGER) AS "part",
      ROW_NUMBER() OVER (ORDER BY ${orderingOfAll(list, window.fromEnd)}) AS "rank", "rows".*
      FROM (${pageOf(list, window)}) AS "rows"`,
  );
  const order = sql`"part", "rank"`;
  const union = sql`${join(parts, ' UNION ALL ')} ORDER BY ${order}`;
  const found = await db.read<Row & { part: number | bigint }>(
    joinedTo(union, only?.list.joined, order),
    'text',
  );
  const rows: Row[][] = ranges.map(() => []);
  for (const row of found) rows[Number(row.part)]?.push(row);
  return ranges.map((range, part) => inOrder(rows[part] ?? [], range));
}

/** The values of the expressions, in one statement, which calculates those that are alike once. */
export async function readNumbers(db: Data, expressions: readonly Sql[]): Promise<number[]> {
  const keys = expressions.map(({ sql: text, values }) => JSON.stringify([text, values]));
  const distinct = new Map(expressions.map((expression, index) => [keys[index], expression]));
  const columns = Array.from(distinct.values(), (one, index) => sql`${one} AS ${name(`number${index}`)}`);
  const [row] = await db.read<Record<string, number | bigint>>(sql`SELECT ${join(columns)}`);
  const numbers = new Map(
    Array.from(distinct.keys(), (key, index) => [key, Number(row?.[`number${index}`] ?? 0)]),
  );
  return keys.map((key) => numbers.get(key) ?? 0);
}

/**
 * The rows of the window and the list's total, in one statement and so of one snapshot. The total is there even if the
 * window is empty.
 */
export async function readRowsAndTotal<Row extends { id: number }>(
  db: Data,
  list: List,
  window: Window,
  total: Sql,
): Promise<{ rows: Row[]; total: number }> {
  const found = await db.read<Row & { total: number | bigint }>(
    sql`
    SELECT * FROM (SELECT ${total} AS "total") AS "t" LEFT JOIN (${rowsOf(list, window)}) AS "rows" ON 1 = 1
    ORDER BY ${orderingOfAll(list)}`,
    'text',
  );
  const rows = found.filter((row) => row.id !== null);
  return { rows, total: Number(found[0]?.total ?? 0) };
}

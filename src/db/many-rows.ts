import type { Prisma } from '../generated/sqlite/client.ts';
import { type Db, isSqlite, type Tx } from './connection/db.ts';
import { join, name, raw, type Sql, sql } from './connection/sql.ts';
import { dateText } from './date-text.ts';

/** Texts, numbers, booleans, moments and nulls; what is undefined is not set. */
type Row = Readonly<Record<string, unknown>>;

/**
 * A statement that inserts rows which all set the same columns. They come as one JSON text: a parameter for each value would cost
 * more than the insertion. Inserted are the rows in their order, and so they are returned.
 * @param also columns that have the same value in all rows
 */
export function insertMany(
  db: Db | Tx,
  table: Prisma.ModelName,
  rows: readonly Row[],
  also: Readonly<Record<string, Sql>> = {},
): Sql {
  const columns = Object.entries(rows[0] ?? {}).flatMap(([column, value]) =>
    value === undefined ? [] : column,
  );
  const texts = rows.map((row) =>
    columns.map((column) => {
      const value = row[column];
      return value instanceof Date ? dateText(value) : value;
    }),
  );
  const names = join([...columns, ...Object.keys(also)].map(name));
  const json = isSqlite(db)
    ? JSON.stringify(texts)
    : JSON.stringify(texts.map((values) => Object.fromEntries(columns.map((one, i) => [one, values[i]]))));
  const values = [
    ...columns.map((column, index) => (isSqlite(db) ? sql`"value" ->> ${raw(String(index))}` : name(column))),
    ...Object.values(also),
  ];
  const source = isSqlite(db)
    ? sql`json_each(${json})`
    : sql`jsonb_populate_recordset(NULL::${name(table)}, ${json}::jsonb)`;
  return sql`INSERT INTO ${name(table)} (${names}) SELECT ${join(values)} FROM ${source}`;
}

type Cell = number | string | null;
type Columns = Readonly<Record<string, 'integer' | 'bigint' | 'text'>>;

/** A PostgreSQL array, as text. */
function arrayOf(cells: readonly (Cell | undefined)[]): string {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  return `{${cells.map((cell) => (typeof cell === 'string' ? quoted(cell) : (cell ?? 'NULL'))).join(',')}}`;
}

/** A table of literal rows for a statement, in their order: one parameter, or one for each column, however many rows there are. */
export function rowsAsTable(db: object, columns: Columns, rows: readonly (readonly Cell[])[]): Sql {
  const names = Object.keys(columns);
  if (isSqlite(db)) {
    const values = names.map((column, index) => sql`"value" ->> ${raw(String(index))} AS ${name(column)}`);
    return sql`(SELECT ${join(values)} FROM json_each(${JSON.stringify(rows)}))`;
  }
  const arrays = Object.values(columns).map(
    (type, index) => sql`${arrayOf(rows.map((row) => row[index]))}::${raw(type)}[]`,
  );
  return sql`(SELECT * FROM unnest(${join(arrays)}) AS "one" (${join(names.map(name))}))`;
}

import type { Prisma } from '../generated/sqlite/client.ts';
import { type Db, isSqlite } from './connection/client.ts';
import type { Tx } from './connection/transaction.ts';
import { dateText } from './date-text.ts';
import { join, name, raw, type Sql, sql } from './reading/list.ts';

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

/** A source of rows of numbers, for FROM: one parameter, however many rows there are. */
export function numberRows(db: Db, columns: readonly string[], rows: readonly (readonly number[])[]): Sql {
  const type = raw(isSqlite(db) ? 'INTEGER' : 'BIGINT');
  const values = columns.map(
    (column, index) => sql`CAST("value" ->> ${raw(String(index))} AS ${type}) AS ${name(column)}`,
  );
  const json = JSON.stringify(rows);
  const source = isSqlite(db)
    ? sql`json_each(${json})`
    : sql`jsonb_array_elements(${json}::jsonb) AS "row" ("value")`;
  return sql`(SELECT ${join(values)} FROM ${source})`;
}

import type { Prisma } from '../generated/sqlite/client.ts';
import type { Data } from './database.ts';
import { dateText } from './date-text.ts';
import { join, name, type Sql, sql } from './sql.ts';

/** Texts, numbers, booleans, times and nulls; what is undefined is not set. */
type Row = Readonly<Record<string, unknown>>;

/**
 * A statement that inserts rows which all set the same columns. The rows are one JSON parameter: a parameter for each value
 * would cost more than the insertion. They are inserted and returned in their order.
 * @param also columns that have the same value in all rows
 */
export function insertMany(
  db: Data,
  table: Prisma.ModelName,
  rows: readonly Row[],
  also: Readonly<Record<string, Sql>> = {},
): Sql {
  const columns = Object.entries(rows[0] ?? {}).flatMap(([column, value]) =>
    value === undefined ? [] : column,
  );
  const values = rows.map((row) =>
    columns.map((column) => {
      const value = row[column];
      return value instanceof Date ? dateText(value) : value;
    }),
  );
  const names = join([...columns, ...Object.keys(also)].map(name));
  const source = db.dialect.insertSource(table, columns, values, Object.values(also));
  return sql`INSERT INTO ${name(table)} (${names}) ${source}`;
}

import { Prisma } from '../../generated/sqlite/client.ts';
import { isSqlite } from '../connection/client.ts';
import type { Tx } from '../connection/transaction.ts';
import { join, name, type Sql, sql } from '../reading/list.ts';

export type Cell = number | string | null;
export type Columns = Readonly<Record<string, 'integer' | 'text'>>;

/** A PostgreSQL array, as text. */
function arrayOf(cells: readonly (Cell | undefined)[]): string {
  const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  return `{${cells.map((cell) => (typeof cell === 'string' ? quoted(cell) : (cell ?? 'NULL'))).join(',')}}`;
}

/** A table of literal rows for a statement, in their order: one parameter, or one for each column, however many rows there are. */
export function rowsAsTable(db: object, columns: Columns, rows: readonly (readonly Cell[])[]): Sql {
  const names = Object.keys(columns);
  if (isSqlite(db)) {
    const values = names.map(
      (column, index) => sql`"value" ->> ${Prisma.raw(String(index))} AS ${name(column)}`,
    );
    return sql`(SELECT ${join(values)} FROM json_each(${JSON.stringify(rows)}))`;
  }
  const arrays = Object.values(columns).map(
    (type, index) => sql`${arrayOf(rows.map((row) => row[index]))}::${Prisma.raw(type)}[]`,
  );
  return sql`(SELECT * FROM unnest(${join(arrays)}) AS "one" (${join(names.map(name))}))`;
}

/** Adds to rows, and inserts missing ones. Rows begin with `keys`, and all processes sort them in the same order. */
export async function addTo(
  tx: Tx,
  table: Prisma.ModelName,
  keys: readonly string[],
  sums: readonly string[],
  rows: readonly (readonly number[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = [...keys, ...sums];
  const listed = join(columns.map(name));
  const given = rowsAsTable(tx, Object.fromEntries(columns.map((column) => [column, 'integer'])), rows);
  const added = sums.map((sum) => sql`${name(sum)} = ${name(table)}.${name(sum)} + EXCLUDED.${name(sum)}`);
  await tx.$executeRaw(sql`
    INSERT INTO ${name(table)} (${listed}) SELECT ${listed} FROM ${given} AS "given" WHERE 1 = 1
    ON CONFLICT (${join(keys.map(name))}) DO UPDATE SET ${join(added)}`);
}

import type { Prisma } from '../../generated/sqlite/client.ts';
import type { Tx } from '../connection/db.ts';
import { dialectOf } from '../connection/dialect.ts';
import { join, name, sql } from '../connection/sql.ts';

/** The tables of counts, of links and of accounts, with their key columns besides the owner, and the columns that are summed. */
export const countTables = [
  { what: 'Hour', keys: ['hour'], sums: ['clicks', 'bots'] },
  { what: 'Day', keys: ['day'], sums: ['clicks', 'described', 'visitors', 'bots'] },
  { what: 'DayValue', keys: ['kind', 'day', 'valueId'], sums: ['clicks'] },
  { what: 'MonthValue', keys: ['kind', 'month', 'valueId'], sums: ['clicks'] },
] as const;

export type Counted = (typeof countTables)[number]['what'];

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
  const given = dialectOf(tx).table(Object.fromEntries(columns.map((column) => [column, 'integer'])), rows);
  const added = sums.map((sum) => sql`${name(sum)} = ${name(table)}.${name(sum)} + EXCLUDED.${name(sum)}`);
  await tx.$executeRaw(sql`
    INSERT INTO ${name(table)} (${listed}) SELECT ${listed} FROM ${given} AS "given" WHERE 1 = 1
    ON CONFLICT (${join(keys.map(name))}) DO UPDATE SET ${join(added)}`);
}

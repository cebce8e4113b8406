import type { Prisma } from '../../generated/sqlite/client.ts';
import type { Transaction } from '../database.ts';
import { join, name, sql } from '../sql.ts';

/** The tables of counts, of links and of accounts, with their key columns besides the owner, and the columns that are summed. */
export const countTables = [
  { what: 'Hour', keys: ['hour'], sums: ['clicks', 'bots'] },
  { what: 'Day', keys: ['day'], sums: ['clicks', 'described', 'visitors', 'bots'] },
  { what: 'DayValue', keys: ['kind', 'day', 'valueId'], sums: ['clicks'] },
  { what: 'MonthValue', keys: ['kind', 'month', 'valueId'], sums: ['clicks'] },
] as const;

export type Counted = (typeof countTables)[number]['what'];

/** Adds to rows, and inserts missing ones: the sums of rows with equal keys, unless all are 0. All processes use the same order. */
export async function addTo(
  tx: Transaction,
  table: Prisma.ModelName,
  keys: readonly string[],
  sums: readonly string[],
  rows: readonly (readonly number[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = [...keys, ...sums];
  const key = join(keys.map(name));
  const given = tx.dialect.table(Object.fromEntries(columns.map((column) => [column, 'integer'])), rows);
  const summed = sums.map((sum) => sql`SUM(${name(sum)})`);
  const isAny = sums.map((sum) => sql`SUM(${name(sum)}) <> 0`);
  const added = sums.map((sum) => sql`${name(sum)} = ${name(table)}.${name(sum)} + EXCLUDED.${name(sum)}`);
  await tx.prisma.$executeRaw(sql`
    INSERT INTO ${name(table)} (${join(columns.map(name))}) SELECT ${key}, ${join(summed)} FROM ${given} AS "given"
    GROUP BY ${key} HAVING ${join(isAny, ' OR ')} ORDER BY ${key}
    ON CONFLICT (${key}) DO UPDATE SET ${join(added)}`);
}

import { lockCounter } from '../clicks.ts';
import type { Tx } from '../connection/db.ts';
import { join, name, sql } from '../connection/sql.ts';

/** The tables, with their key columns besides the owner, and their sums. */
const tables = [
  { what: 'Hour', keys: ['hour'], sums: ['clicks', 'bots'] },
  { what: 'Day', keys: ['day'], sums: ['clicks', 'described', 'visitors', 'bots'] },
  { what: 'DayValue', keys: ['kind', 'day', 'valueId'], sums: ['clicks'] },
  { what: 'MonthValue', keys: ['kind', 'month', 'valueId'], sums: ['clicks'] },
] as const;

/**
 * Subtracts the statistics of a link from its account's, and deletes them. Its clicks stay. Returns whether there were any;
 * null if the account has no such link.
 */
export async function forgetStatistics(tx: Tx, linkId: number, accountId: number): Promise<boolean | null> {
  const any = await lockCounter(tx, linkId, accountId);
  if (any !== true) return any;
  // Values of clicks that were claimed before are not written after it.
  await tx.$executeRaw`UPDATE "LinkCounter" SET "resets" = "resets" + 1 WHERE "linkId" = ${linkId}`;
  for (const { what, keys, sums } of tables) {
    const [own, whole] = [name(`Link${what}`), name(`Account${what}`)];
    const left = sums.map((sum) => sql`${name(sum)} = ${whole}.${name(sum)} - "own".${name(sum)}`);
    const same = keys.map((key) => sql`${whole}.${name(key)} = "own".${name(key)}`);
    await tx.$executeRaw(sql`
      UPDATE ${whole} SET ${join(left)} FROM ${own} AS "own"
      WHERE "own"."linkId" = ${linkId} AND ${whole}."accountId" = ${accountId} AND ${join(same, ' AND ')}`);
    if (what.endsWith('Value'))
      await tx.$executeRaw(sql`
        DELETE FROM ${whole} WHERE "accountId" = ${accountId} AND "clicks" <= 0
          AND (${join(keys.map(name))}) IN (SELECT ${join(keys.map(name))} FROM ${own} WHERE "linkId" = ${linkId})`);
    await tx.$executeRaw(sql`DELETE FROM ${own} WHERE "linkId" = ${linkId}`);
  }
  await tx.$executeRaw(sql`
    DELETE FROM "DayVisitor" WHERE "linkId" = ${linkId} AND "day" IN (SELECT "day" FROM "DaySalt")`);
  return true;
}

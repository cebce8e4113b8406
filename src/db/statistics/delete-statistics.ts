import type { Transaction } from '../database.ts';
import { join, name, sql } from '../sql.ts';
import { countTables } from './scope.ts';

const BATCH_SIZE = 500;

/**
 * Locks the counters of the account's links until the transaction ends; on SQLite, a transaction locks everything from its
 * beginning. Returns the ids of the links that exist, and for each whether it has statistics.
 */
async function lockCounters(
  tx: Transaction,
  linkIds: readonly number[],
  accountId: number,
): Promise<Map<number, boolean>> {
  const locked = tx.dialect.lock('FOR NO KEY UPDATE');
  const rows = await tx.read<{ linkId: number; any: number }>(sql`SELECT "linkId",
      CASE WHEN EXISTS (SELECT 1 FROM "LinkDay" WHERE "LinkDay"."linkId" = "LinkCounter"."linkId") THEN 1 ELSE 0 END AS "any"
    FROM "LinkCounter" WHERE "linkId" IN (${join([...linkIds])}) AND "accountId" = ${accountId} ORDER BY "linkId" ${locked}`);
  return new Map(rows.map(({ linkId, any }) => [linkId, any > 0]));
}

/**
 * Subtracts the statistics of links from their account's, and deletes them. Their clicks stay. Returns the ids of the links that
 * the account has, in their order, and for each whether there were any.
 */
export async function deleteStatistics(
  tx: Transaction,
  linkIds: readonly number[],
  accountId: number,
): Promise<Map<number, boolean>> {
  const found = new Map<number, boolean>();
  const ordered = linkIds.toSorted((a, b) => a - b);
  for (let next = 0; next < ordered.length; next += BATCH_SIZE) {
    const locked = await lockCounters(tx, ordered.slice(next, next + BATCH_SIZE), accountId);
    for (const [id, any] of locked) found.set(id, any);
    const counted = [...locked].flatMap(([id, any]) => (any ? id : []));
    if (counted.length > 0) await deleteBatch(tx, counted, accountId);
  }
  return found;
}

async function deleteBatch(tx: Transaction, linkIds: readonly number[], accountId: number): Promise<void> {
  const ofLinks = sql`"linkId" IN (${join([...linkIds])})`;
  // Values of clicks that are already counted are not written after it.
  await tx.prisma.$executeRaw(sql`UPDATE "LinkCounter" SET "resets" = "resets" + 1 WHERE ${ofLinks}`);
  for (const { what, keys, sums } of countTables) {
    const [own, whole] = [name(`Link${what}`), name(`Account${what}`)];
    const key = join(keys.map(name));
    const summed = sums.map((sum) => sql`SUM(${name(sum)}) AS ${name(sum)}`);
    const left = sums.map((sum) => sql`${name(sum)} = ${whole}.${name(sum)} - "own".${name(sum)}`);
    const same = keys.map((one) => sql`${whole}.${name(one)} = "own".${name(one)}`);
    await tx.prisma.$executeRaw(sql`
      UPDATE ${whole} SET ${join(left)} FROM (SELECT ${key}, ${join(summed)} FROM ${own} WHERE ${ofLinks} GROUP BY ${key}) AS "own"
      WHERE ${whole}."accountId" = ${accountId} AND ${join(same, ' AND ')}`);
    if (what.endsWith('Value'))
      await tx.prisma.$executeRaw(sql`
        DELETE FROM ${whole} WHERE "accountId" = ${accountId} AND "clicks" <= 0
          AND (${key}) IN (SELECT ${key} FROM ${own} WHERE ${ofLinks})`);
    await tx.prisma.$executeRaw(sql`DELETE FROM ${own} WHERE ${ofLinks}`);
  }
  await tx.prisma.$executeRaw(
    sql`DELETE FROM "DayVisitor" WHERE ${ofLinks} AND "day" IN (SELECT "day" FROM "DaySalt")`,
  );
}

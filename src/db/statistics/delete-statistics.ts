import type { Logger } from 'pino';
import { BatchWork } from '../../engine/db/retention.ts';
import { join, name, type Sql, sql } from '../../engine/db/sql.ts';
import type { Data, Transaction } from '../database.ts';
import { type Counted, countTables } from './scope.ts';

/** Maximum number of rows of links that one transaction deletes. It changes or deletes as many rows of their account. */
export const MAX_DELETED_ROWS = 1_000;
/** Maximum number of days of a link that the last transaction of a reset deletes: those of 8 years. */
const MAX_DAYS = 3_000;

/** Its counter, and the change in the log. */
const ROWS_OF_RESET = 2;

interface LinkOfAccount {
  readonly id: number;
  readonly accountId: number;
}

/**
 * Locks the counter of the account's link until the transaction ends; on SQLite, a transaction locks everything from its
 * beginning. Returns how many days with statistics the link has; undefined if the account has no such link.
 */
async function lockCounter(tx: Transaction, { id, accountId }: LinkOfAccount): Promise<number | undefined> {
  const locked = tx.dialect.lock('FOR NO KEY UPDATE');
  const [row] = await tx.read<{ days: number }>(sql`SELECT
      (SELECT COUNT(*) FROM "LinkDay" WHERE "LinkDay"."linkId" = "LinkCounter"."linkId") AS "days"
    FROM "LinkCounter" WHERE "linkId" = ${id} AND "accountId" = ${accountId} ${locked}`);
  return row && Number(row.days);
}

/**
 * The number of rows that a reset of a link's statistics writes. `isMany` if one transaction does not delete them all.
 */
interface ResetSize {
  readonly rows: number;
  readonly isMany: boolean;
}

/** The size of a reset, of which the last transaction deletes days if there are many. */
export async function measureReset(db: Data, linkId: number): Promise<ResetSize> {
  const counts = countTables.map(({ what }) => {
    const max = what === 'Day' ? MAX_DAYS : MAX_DELETED_ROWS;
    const some = sql`SELECT 1 FROM ${name(`Link${what}`)} WHERE "linkId" = ${linkId} LIMIT ${max + 1}`;
    return sql`(SELECT COUNT(*) FROM (${some}) AS "some") AS ${name(what)}`;
  });
  const visitors = sql`SELECT 1 FROM "DayVisitor" WHERE ${visitorsSql([linkId])} LIMIT ${MAX_DELETED_ROWS + 1}`;
  const [row] = await db.read<Record<Counted | 'visitors', number>>(
    sql`SELECT ${join(counts)}, (SELECT COUNT(*) FROM (${visitors}) AS "some") AS "visitors"`,
  );
  if (row === undefined) return { rows: 0, isMany: false };
  const others = Number(row.Hour) + Number(row.DayValue) + Number(row.MonthValue);
  const visitorsToday = Number(row.visitors);
  const isMany = Math.max(others, visitorsToday) > MAX_DELETED_ROWS || Number(row.Day) > MAX_DAYS;
  const last = Math.min(Number(row.Day), MAX_DAYS) + (isMany ? 0 : others);
  // Those of its account change, too.
  return { rows: 2 * last + Math.min(visitorsToday, MAX_DELETED_ROWS) + ROWS_OF_RESET, isMany };
}

/** The result of a deletion of statistics. */
interface Reset {
  /** True if there were any. */
  readonly any: boolean;
  /** True if there are more, besides the days that the last transaction deletes. */
  readonly more: boolean;
}

/**
 * Deletes some of the statistics of the account's link, and subtracts them from its account's. Its clicks stay. Days are deleted
 * last: while it has some, it has statistics. Returns null if the account has no such link.
 * @param isLast whether days are deleted too
 */
export async function resetSome(
  tx: Transaction,
  link: LinkOfAccount,
  isLast: boolean,
): Promise<Reset | null> {
  const days = await lockCounter(tx, link);
  if (days === undefined) return null;
  if (days === 0) return { any: false, more: false };
  // Values of clicks that are already counted are not written after it.
  await tx.execute(sql`UPDATE "LinkCounter" SET "resets" = "resets" + 1 WHERE "linkId" = ${link.id}`);
  if (isLast && days > MAX_DAYS) return { any: true, more: true };
  // One more than there are, so that all are deleted.
  const maxDays = isLast ? days + 1 : Math.min(MAX_DELETED_ROWS, Math.max(0, days - MAX_DAYS));
  const more = await subtractSome(tx, [link.id], link.accountId, maxDays);
  if (isLast) return { any: true, more: (await deleteVisitors(tx, [link.id], 1)) || more };
  return { any: true, more: more || (await deleteVisitors(tx, [link.id])) };
}

/**
 * Subtracts some of the statistics of links from those of their account, and deletes them. Returns whether there may be more,
 * beside days.
 * @param maxDays how many days are deleted, if there is nothing else
 */
async function subtractSome(
  tx: Transaction,
  linkIds: readonly number[],
  accountId: number,
  maxDays: number,
): Promise<boolean> {
  let left = MAX_DELETED_ROWS;
  for (const { what, keys, sums } of daysLast) {
    const limit = what === 'Day' ? maxDays : left;
    if (limit === 0) continue;
    const [own, whole] = [name(`Link${what}`), name(`Account${what}`)];
    const key = join(keys.map(name));
    const ofLink = sql`"linkId", ${key}`;
    const some = sql`SELECT ${ofLink} FROM ${own} WHERE "linkId" IN (${join([...linkIds])}) ORDER BY ${ofLink} LIMIT ${limit}`;
    const summed = sums.map((sum) => sql`SUM(${name(sum)}) AS ${name(sum)}`);
    const rest = sums.map((sum) => sql`${name(sum)} = ${whole}.${name(sum)} - "own".${name(sum)}`);
    const same = keys.map((one) => sql`${whole}.${name(one)} = "own".${name(one)}`);
    await tx.execute(sql`
      UPDATE ${whole} SET ${join(rest)} FROM (
        SELECT ${key}, ${join(summed)} FROM ${own} WHERE (${ofLink}) IN (${some}) GROUP BY ${key}) AS "own"
      WHERE ${whole}."accountId" = ${accountId} AND ${join(same, ' AND ')}`);
    if (what.endsWith('Value'))
      await tx.execute(sql`
        DELETE FROM ${whole} WHERE "accountId" = ${accountId} AND "clicks" <= 0
          AND (${key}) IN (SELECT ${key} FROM (${some}) AS "some")`);
    const deleted = await tx.execute(sql`DELETE FROM ${own} WHERE (${ofLink}) IN (${some})`);
    if (what !== 'Day') left -= deleted;
    if (deleted === limit) return true;
  }
  return false;
}

const daysLast = countTables.toSorted((a, b) => Number(a.what === 'Day') - Number(b.what === 'Day'));

/** Those of the links that count today. */
const visitorsSql = (linkIds: readonly number[]): Sql =>
  sql`"linkId" IN (${join([...linkIds])}) AND "day" IN (SELECT "day" FROM "DaySalt")`;

/**
 * Deletes some of the visitors of the day that links have. Returns whether there may be more.
 * @param over how many more than usual, so that all are deleted if there are as many as usual
 */
async function deleteVisitors(tx: Transaction, linkIds: readonly number[], over = 0): Promise<boolean> {
  const limit = MAX_DELETED_ROWS + over;
  const some = sql`SELECT "day", "linkId", "hash" FROM "DayVisitor" WHERE ${visitorsSql(linkIds)} LIMIT ${limit}`;
  const deleted = await tx.execute(
    sql`DELETE FROM "DayVisitor" WHERE ("day", "linkId", "hash") IN (${some})`,
  );
  return deleted === limit;
}

/** Maximum number of deleted links that one transaction examines. */
const MAX_LINKS = 100;

/** Removes some statistics of deleted links. Returns whether there may be more. Several processes may do so at once. */
export async function removeDeletedStatistics(db: Data): Promise<boolean> {
  return db.transaction(async (tx) => {
    const lock = tx.dialect.lock('FOR UPDATE SKIP LOCKED');
    const [first] = await tx.read<{ accountId: number }>(
      sql`SELECT "accountId" FROM "DeletedStatistics" ORDER BY "id" LIMIT 1 ${lock}`,
    );
    if (first === undefined) return false;
    const { accountId } = first;
    const links = await tx.read<{
      id: number;
      linkId: number;
    }>(sql`SELECT "id", "linkId" FROM "DeletedStatistics"
      WHERE "accountId" = ${accountId} ORDER BY "id" LIMIT ${MAX_LINKS} ${lock}`);
    const ids = links.map(({ linkId }) => linkId);
    if (await subtractSome(tx, ids, accountId, MAX_DELETED_ROWS)) return true;
    if (await deleteVisitors(tx, ids)) return true;
    await tx.prisma.deletedStatistics.deleteMany({ where: { id: { in: links.map(({ id }) => id) } } });
    return true;
  });
}

/** Removes the statistics of deleted links, in slices. */
export class DeletedStatisticsRemoval extends BatchWork {
  readonly #db: Data;

  constructor(db: Data, log: Logger) {
    super(log, 50);
    this.#db = db;
  }

  override work(): Promise<void> {
    return this.untilNone(() => removeDeletedStatistics(this.#db));
  }
}

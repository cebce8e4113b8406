import type { LinkCounter } from '../../generated/sqlite/client.ts';
import type { Data, Transaction } from '../database.ts';
import { dateText } from '../date-text.ts';
import { retryConflicts } from '../errors.ts';
import { hasStatus } from '../reading/link-status.ts';
import { join, sql } from '../sql.ts';
import { dayOf, hourOf } from './calendar.ts';
import { MAX_COUNT } from './write.ts';

/**
 * Locks the counters of the account's links until the transaction ends; on SQLite, a transaction locks everything from its
 * beginning. Returns the ids of the links that exist, and for each whether it has statistics.
 */
export async function lockCounters(
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

interface ImportedClicks {
  readonly linkId: number;
  readonly clicks: number;
  readonly lastClickedAt: Date | null;
}

/** Sets the clicks of imported links, in the transaction that creates them. */
export async function setImportedClicks(tx: Transaction, imported: readonly ImportedClicks[]): Promise<void> {
  if (imported.length === 0) return;
  const rows = imported.map(({ linkId, clicks, lastClickedAt }) => [
    linkId,
    clicks,
    lastClickedAt && dateText(lastClickedAt),
  ]);
  const given = tx.dialect.table({ id: 'integer', count: 'bigint', last: 'timestamp' }, rows);
  await tx.prisma.$executeRaw(sql`UPDATE "LinkCounter" SET "clicks" = "count", "lastClickedAt" = "last"
    FROM ${given} AS "given" WHERE "linkId" = "id"`);
}

/** Deletes the receipts of processes that ended long ago. */
export async function deleteOldReceipts(db: Data): Promise<void> {
  if (db.dialect.runsInProcess) return;
  await db.prisma.$executeRaw`DELETE FROM "ClickReceipt" WHERE "at" < now() - interval '7 days'`;
}

/** The counts before a claimed visit, and how often the statistics had been reset. */
export type Turn = Pick<LinkCounter, 'clicks' | 'turns' | 'resets'>;

const addClick = sql`"clicks" = CASE WHEN "clicks" < ${MAX_COUNT} THEN "clicks" + 1 ELSE "clicks" END`;
const addTurn = sql`"turns" = CASE WHEN "turns" < ${MAX_COUNT} THEN "turns" + 1 ELSE 1 END`;
const ofActive = (linkId: number, now: Date) =>
  sql`FROM "Link" WHERE "id" = "linkId" AND "linkId" = ${linkId} AND ${hasStatus('ACTIVE', now, sql`"LinkCounter"."clicks"`)}`;

/**
 * If the link is active, counts one visit at once, also for the hour and day of the link and its account, and
 * advances its rotation. Returns null if it is not active. One statement does all of this, so
 * simultaneous visits cannot exceed a click limit.
 */
export async function claimVisit(db: Data, linkId: number, now: Date): Promise<Turn | null> {
  const update = sql`
    UPDATE "LinkCounter" SET ${addClick}, ${addTurn}, "lastClickedAt" = ${now} ${ofActive(linkId, now)}
    RETURNING "clicks", "turns", "resets", "LinkCounter"."accountId" AS "account"`;
  // Without writable CTEs, a trigger adds to the hours and days.
  const statement = !db.dialect.hasWritableCtes
    ? update
    : // Each part reads the one before: PostgreSQL would run them in another order than other writes, and deadlock with these.
      sql`WITH "claimed" AS (${update}),
      "inHour" AS (
        INSERT INTO "LinkHour" ("linkId", "hour", "clicks") SELECT ${linkId}::integer, ${hourOf(now)}::integer, 1 FROM "claimed"
        ON CONFLICT ("linkId", "hour") DO UPDATE SET "clicks" = "LinkHour"."clicks" + 1 RETURNING 1
      ), "inDay" AS (
        INSERT INTO "LinkDay" ("linkId", "day", "clicks") SELECT ${linkId}::integer, ${dayOf(now)}::integer, 1 FROM "inHour"
        ON CONFLICT ("linkId", "day") DO UPDATE SET "clicks" = "LinkDay"."clicks" + 1 RETURNING 1
      ), "inAccountHour" AS (
        INSERT INTO "AccountHour" ("accountId", "hour", "clicks") SELECT "account", ${hourOf(now)}::integer, 1 FROM "inDay", "claimed"
        ON CONFLICT ("accountId", "hour") DO UPDATE SET "clicks" = "AccountHour"."clicks" + 1 RETURNING "accountId" AS "account"
      ), "inAccountDay" AS (
        INSERT INTO "AccountDay" ("accountId", "day", "clicks") SELECT "account", ${dayOf(now)}::integer, 1 FROM "inAccountHour"
        ON CONFLICT ("accountId", "day") DO UPDATE SET "clicks" = "AccountDay"."clicks" + 1
      )
      SELECT "clicks", "turns", "resets" FROM "claimed"`;
  const [row] = await retryConflicts(() => db.read<Turn>(statement));
  return row ? { ...row, clicks: row.clicks - 1, turns: row.turns - 1 } : null;
}

/** The same without statistics, which the database refuses: for a visit whose values are not written either. */
export function claimTurn(db: Data, linkId: number, now: Date): Promise<Turn | null> {
  return db.transaction(async (tx) => {
    const [row] = await tx.read<Pick<Turn, 'clicks' | 'turns'>>(
      sql`UPDATE "LinkCounter" SET ${addClick}, "lastClickedAt" = ${now} ${ofActive(linkId, now)} RETURNING "clicks", "turns"`,
    );
    if (row === undefined) return null;
    // By a statement of its own: on SQLite, a trigger counts the hour of a visit that changes both.
    await tx.prisma.$executeRaw(sql`UPDATE "LinkCounter" SET ${addTurn} WHERE "linkId" = ${linkId}`);
    // As if the statistics were reset since: so values are left out.
    return { clicks: row.clicks - 1, turns: row.turns, resets: -1 };
  });
}

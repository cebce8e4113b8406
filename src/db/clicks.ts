import type { LinkCounter } from '../generated/sqlite/client.ts';
import { type Db, isSqlite } from './connection/client.ts';
import { retryConflicts } from './connection/retry.ts';
import type { Tx } from './connection/transaction.ts';
import { type Sql, sql } from './reading/list.ts';

/** The end of both databases' and GraphQL's whole numbers: there a count stops, instead of failing. */
const END = sql`2147483647`;

/** A write that may have to be sent again: which process makes it, and which of that process's writes it is, from 1. */
export interface Receipt {
  readonly processId: string;
  readonly number: number;
}

/** How often a link was opened, and when for the last time. */
export interface Clicks {
  readonly count: number;
  readonly last: Date;
}

/** A moment as a SQLite file has it. */
const asText = (at: Date) => at.toISOString().replace('Z', '+00:00');

/**
 * Adds to the clicks of many links, all or none. Links that are gone are skipped. Sent again with the same receipt, after
 * an answer that never came, it counts once.
 */
export async function addClicks(
  db: Db,
  clicks: ReadonlyMap<number, Clicks>,
  { processId, number }: Receipt,
): Promise<void> {
  // In one order for all processes, so that none waits for another in a circle.
  const counts = JSON.stringify(
    [...clicks].sort(([a], [b]) => a - b).map(([id, { count, last }]) => [id, count, asText(last)]),
  );
  if (isSqlite(db)) {
    // The database is in this process: what failed was not done.
    await db.$executeRaw(sql`
      UPDATE "LinkCounter" SET "clicks" = MIN("clicks" + "counted"."value" ->> 1, ${END}),
        "lastClickedAt" = MAX(COALESCE("lastClickedAt", ''), "counted"."value" ->> 2)
      FROM json_each(${counts}) AS "counted" WHERE "linkId" = "counted"."value" ->> 0`);
    return;
  }
  await retryConflicts(() =>
    db.$executeRaw(sql`
      WITH "receipt" AS (
        INSERT INTO "ClickReceipt" ("processId", "number", "at") VALUES (${processId}::uuid, ${number}, now())
        ON CONFLICT ("processId") DO UPDATE SET "number" = EXCLUDED."number", "at" = EXCLUDED."at"
          WHERE "ClickReceipt"."number" < EXCLUDED."number"
        RETURNING 1
      ), "counted" AS (
        SELECT ("one" ->> 0)::integer AS "id", ("one" ->> 1)::bigint AS "count", ("one" ->> 2)::timestamp AS "last"
        FROM jsonb_array_elements(${counts}::jsonb) AS "one" WHERE EXISTS (SELECT 1 FROM "receipt")
      ), "locked" AS (
        SELECT "counted".* FROM "LinkCounter" JOIN "counted" ON "id" = "linkId" ORDER BY "id"
        FOR NO KEY UPDATE OF "LinkCounter"
      )
      UPDATE "LinkCounter" SET "clicks" = LEAST("clicks" + "count", ${END}), "lastClickedAt" = GREATEST("lastClickedAt", "last")
      FROM "locked" WHERE "linkId" = "id"`),
  );
}

/** What a new link brings along of its clicks. */
export interface Brought {
  readonly linkId: number;
  readonly clicks: number;
  readonly lastClickedAt: Date | null;
}

/** Gives new links, in their own transaction, the clicks that they had elsewhere. */
export async function bringClicks(tx: Tx, brought: readonly Brought[]): Promise<void> {
  if (brought.length === 0) return;
  const rows = JSON.stringify(
    brought.map(({ linkId, clicks, lastClickedAt }) => [
      linkId,
      clicks,
      lastClickedAt && asText(lastClickedAt),
    ]),
  );
  await tx.$executeRaw(
    isSqlite(tx)
      ? sql`UPDATE "LinkCounter" SET "clicks" = "brought"."value" ->> 1, "lastClickedAt" = "brought"."value" ->> 2
          FROM json_each(${rows}) AS "brought" WHERE "linkId" = "brought"."value" ->> 0`
      : sql`UPDATE "LinkCounter" SET "clicks" = ("one" ->> 1)::integer, "lastClickedAt" = ("one" ->> 2)::timestamp
          FROM jsonb_array_elements(${rows}::jsonb) AS "one" WHERE "linkId" = ("one" ->> 0)::integer`,
  );
}

/** Forgets the receipts of processes that ended long ago. */
export async function forgetReceipts(db: Db): Promise<void> {
  if (!isSqlite(db)) await db.$executeRaw`DELETE FROM "ClickReceipt" WHERE "at" < now() - interval '7 days'`;
}

export type Turn = Pick<LinkCounter, 'clicks' | 'turns'>;

/** Where `claimVisit` finds the clicks for its condition. */
export const CLAIMED_CLICKS = sql`"LinkCounter"."clicks"`;

/**
 * Counts one visit at once, where the link still meets the condition, and takes its turn of the rotation. Returns clicks and
 * turns as they were before; null where it does not, so that of many visits at once no more get through than may.
 */
export async function claimVisit(db: Db, linkId: number, isActive: Sql, now: Date): Promise<Turn | null> {
  const [row] = await retryConflicts(() =>
    db.$queryRaw<Turn[]>(sql`
        UPDATE "LinkCounter" SET "clicks" = CASE WHEN "clicks" < ${END} THEN "clicks" + 1 ELSE "clicks" END,
          "turns" = CASE WHEN "turns" < ${END} THEN "turns" + 1 ELSE 1 END, "lastClickedAt" = ${now}
        FROM "Link" WHERE "id" = "linkId" AND "linkId" = ${linkId} AND ${isActive}
        RETURNING "clicks", "turns"`),
  );
  return row ? { clicks: row.clicks - 1, turns: row.turns - 1 } : null;
}

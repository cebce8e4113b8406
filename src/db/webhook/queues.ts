import { retryConflicts } from '../../engine/db/errors.ts';
import { join, name, type Sql, sql } from '../../engine/db/sql.ts';
import type { Data, Transaction } from '../database.ts';
import { nextDue } from './deliveries.ts';

/** The queue of a webhook; one process at a time delivers from it. */
export interface Queue {
  readonly webhookId: number;
  readonly failingSince: Date | null;
}

/** A process's claim on queues, and its duration in milliseconds. */
export interface Claim {
  readonly by: string;
  readonly duration: number;
}

/** The condition for queues that have due deliveries and no valid claim. Those of a disabled account wait. */
function isFree(db: Data, now: Date): Sql {
  return sql`"dueAt" <= ${now} AND ("claimedUntil" IS NULL OR "claimedUntil" <= ${db.dialect.fromNow(0)})
    AND EXISTS (SELECT 1 FROM "Webhook" JOIN "Account" ON "Account"."id" = "accountId"
      WHERE "Webhook"."id" = "webhookId" AND NOT "disabled" AND "disabledAt" IS NULL)`;
}

/** No claim is valid for so long, in milliseconds. */
const MAX_CLAIM = 60 * 60 * 1_000;

const MEND_BATCH_SIZE = 1_000;

/** Changes some rows of a table that meet a condition; returns how many. Others wait for no locked row. */
function mendSome(db: Data, table: string, key: string, set: Sql, where: Sql): Promise<number> {
  const [of, id] = [name(table), name(key)];
  return db.execute(sql`UPDATE ${of} SET ${set} WHERE ${id} IN (SELECT ${id} FROM ${of} WHERE ${where}
    ORDER BY ${id} LIMIT ${MEND_BATCH_SIZE} ${db.dialect.lock('FOR UPDATE SKIP LOCKED')})`);
}

/**
 * Makes some deliveries due that wait for longer than any retry does, and ends claims that are as wrong: the clock was ahead when
 * they were written. Removes why webhooks were disabled that work. Returns whether there may be more.
 * @param longest the longest delay of a retry, in milliseconds
 */
export async function mendSchedule(db: Data, now: Date, longest: number): Promise<boolean> {
  const latest = new Date(now.getTime() + longest);
  const deliveries = await mendSome(
    ...([db, 'WebhookDelivery', 'id'] as const),
    sql`"nextAttemptAt" = ${now}`,
    sql`"status" = 'PENDING' AND "nextAttemptAt" > ${latest}
      AND "webhookId" IN (SELECT "webhookId" FROM "WebhookQueue" WHERE "dueAt" IS NOT NULL)`,
  );
  const queues = [db, 'WebhookQueue', 'webhookId'] as const;
  const due = await mendSome(...queues, sql`"dueAt" = ${now}`, sql`"dueAt" > ${latest}`);
  // A process of an earlier version enables a webhook without that.
  const enabled = await mendSome(
    ...([db, 'Webhook', 'id'] as const),
    sql`"disabledReason" = NULL`,
    sql`NOT "disabled" AND "disabledReason" IS NOT NULL`,
  );
  const claims = await mendSome(
    ...queues,
    sql`"claimedBy" = NULL, "claimedUntil" = NULL`,
    sql`"claimedUntil" > ${db.dialect.fromNow(MAX_CLAIM)}`,
  );
  return Math.max(deliveries, due, enabled, claims) === MEND_BATCH_SIZE;
}

/** Maximum numbers of queues to claim: of receivers whose last attempt failed, and of others. */
export interface Room {
  readonly failing: number;
  readonly others: number;
}

/** Claims queues with due deliveries, those that have waited longest first. */
export async function claimQueues(
  db: Data,
  { by, duration }: Claim,
  now: Date,
  { failing, others }: Room,
): Promise<Queue[]> {
  // A read is cheaper than a claim, which on SQLite would block other writers.
  const due = await db.read(sql`SELECT 1 FROM "WebhookQueue" WHERE ${isFree(db, now)} LIMIT 1`);
  if (due.length === 0) return [];
  const unlocked = db.dialect.lock('FOR UPDATE SKIP LOCKED');
  const first = (which: Sql, limit: number) => sql`SELECT "webhookId" FROM "WebhookQueue"
    WHERE ${isFree(db, now)} AND "failingSince" IS ${which} ORDER BY "dueAt" LIMIT ${limit} ${unlocked}`;
  const claimed = await db.read<{
    webhookId: number;
    failingSince: Date | string | null;
  }>(sql`UPDATE "WebhookQueue" SET "claimedBy" = ${by}, "claimedUntil" = ${db.dialect.fromNow(duration)}
    WHERE "webhookId" IN (${first(sql`NULL`, others)}) OR "webhookId" IN (${first(sql`NOT NULL`, failing)})
    RETURNING "webhookId", "failingSince"`);
  return claimed.map(({ webhookId, failingSince }) => ({
    webhookId,
    failingSince: failingSince === null ? null : new Date(failingSince),
  }));
}

/**
 * Renews the process's claims on the queues of these webhooks, and returns those that it still has; those that others have taken
 * over stay theirs.
 */
export async function renewClaims(
  db: Data,
  { by, duration }: Claim,
  webhookIds: readonly number[],
): Promise<Set<number>> {
  const kept = await retryConflicts(() =>
    db.read<{
      webhookId: number;
    }>(sql`UPDATE "WebhookQueue" SET "claimedUntil" = ${db.dialect.fromNow(duration)}
        WHERE "claimedBy" = ${by} AND "webhookId" IN (${join([...webhookIds])})
        RETURNING "webhookId"`),
  );
  return new Set(kept.map(({ webhookId }) => webhookId));
}

export async function hasQueue(db: Data, webhookId: number, by: string): Promise<boolean> {
  return (await db.prisma.webhookQueue.count({ where: { webhookId, claimedBy: by } })) > 0;
}

/**
 * Releases a queue, for the first process to claim it when it is due; one that is due already waits behind the others. Waits for
 * transactions that add deliveries, which lock the row, before it calculates when the queue is due next.
 */
export async function releaseQueue(db: Data, webhookId: number, by: string, now: Date): Promise<void> {
  await db.transaction(async (tx) => {
    const released = await tx.prisma.webhookQueue.updateMany({
      where: { webhookId, claimedBy: by },
      data: { claimedBy: null, claimedUntil: null },
    });
    if (released.count === 0) return;
    const next = await nextDue(tx, webhookId);
    const dueAt = next !== null && next < now ? now : next;
    await tx.prisma.webhookQueue.update({ where: { webhookId }, data: { dueAt } });
  });
}

/** A webhook at the place that the reader of the log has reached. */
export interface WebhookAtReader {
  readonly webhookId: number;
  readonly accountId: number;
  /** The events that it gets there, in their stored form. */
  readonly events: string;
  /** The webhook's change that decided so. */
  readonly changeId: number;
  /** 1 if whoever delivers for it notes what it begins to send; 0 if that is a process of an earlier version. */
  readonly notesBeginnings: number;
}

/** Begins the names of processes that note what they begin to send. */
export const NOTING = 'noting-';

/** The webhooks of the accounts, as they stay until the transaction ends: on PostgreSQL, deletions wait for it. */
export async function webhooksAtReader(
  tx: Transaction,
  accountIds: readonly number[],
): Promise<WebhookAtReader[]> {
  if (accountIds.length === 0) return [];
  const locked = tx.dialect.lock('FOR KEY SHARE OF "Webhook"');
  const isOther = sql`"claimedUntil" > ${tx.dialect.fromNow(0)} AND "claimedBy" NOT LIKE ${`${NOTING}%`}`;
  return tx.read(sql`SELECT "webhookId", "accountId", "queue"."events", "changeId",
        CASE WHEN ${isOther} THEN 0 ELSE 1 END AS "notesBeginnings"
      FROM "Webhook" JOIN "WebhookQueue" AS "queue" ON "webhookId" = "Webhook"."id"
      WHERE "accountId" IN (${join([...accountIds])}) ORDER BY "webhookId" ${locked}`);
}

/** Stores what webhooks get from the reader's place on. */
export async function storeAtReader(tx: Transaction, webhooks: readonly WebhookAtReader[]): Promise<void> {
  if (webhooks.length === 0) return;
  const rows = webhooks.map(({ webhookId, events, changeId }) => [webhookId, events, changeId]);
  const given = tx.dialect.table({ id: 'integer', events: 'text', changeId: 'integer' }, rows);
  await tx.prisma.$executeRaw(sql`
    UPDATE "WebhookQueue" SET "events" = "given"."events", "changeId" = "given"."changeId"
    FROM ${given} AS "given" WHERE "webhookId" = "given"."id"`);
}

/** Stores since when every attempt has failed; null if the last one did not. */
export async function storeFailingSince(
  db: Data,
  webhookId: number,
  failingSince: Date | null,
): Promise<void> {
  await db.prisma.webhookQueue.updateMany({ where: { webhookId }, data: { failingSince } });
}

/** The queues of webhooks that are not disabled, nor their accounts. */
const enabled = sql`FROM "WebhookQueue" AS "queue" JOIN "Webhook" ON "Webhook"."id" = "queue"."webhookId"
    JOIN "Account" ON "Account"."id" = "Webhook"."accountId"
  WHERE NOT "Webhook"."disabled" AND "Account"."disabledAt" IS NULL`;

const toDate = (given: Date | string | null | undefined) => (given ? new Date(given) : null);

/** The number of their waiting deliveries, and when the oldest of them was due. */
export async function readBacklog(db: Data): Promise<{ pending: number; dueAt: Date | null }> {
  const waiting = sql`FROM "WebhookDelivery" AS "one" WHERE "one"."webhookId" = "queue"."webhookId" AND "one"."status" = 'PENDING'`;
  // An account may have a million.
  const [row] = await db.long.read<{
    pending: number | null;
    dueAt: Date | string | null;
  }>(sql`SELECT SUM((SELECT COUNT(*) ${waiting})) AS "pending", MIN((SELECT MIN("nextAttemptAt") ${waiting})) AS "dueAt"
      ${enabled} AND "queue"."dueAt" IS NOT NULL`);
  return { pending: Number(row?.pending ?? 0), dueAt: toDate(row?.dueAt) };
}

/** The number of webhooks without a success since an attempt failed, and the time of the first such failure. */
export interface FailingWebhooks {
  readonly failing: number;
  readonly since: Date | null;
}

export async function readFailing(db: Data): Promise<FailingWebhooks> {
  const [row] = await db.read<{
    failing: number;
    since: Date | string | null;
  }>(
    sql`SELECT COUNT(*) AS "failing", MIN("failingSince") AS "since" ${enabled} AND "failingSince" IS NOT NULL`,
  );
  return { failing: Number(row?.failing ?? 0), since: toDate(row?.since) };
}

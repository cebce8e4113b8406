import type { Logger } from 'pino';
import { BatchWork } from '../../engine/db/retention.ts';
import { empty, join, type Sql, sql } from '../../engine/db/sql.ts';
import type { WebhookDelivery } from '../../generated/sqlite/client.ts';
import type { Data, Transaction } from '../database.ts';

export type NewDelivery = Pick<
  WebhookDelivery,
  'webhookId' | 'messageId' | 'event' | 'kind' | 'recordId' | 'createdAt' | 'mayJoin'
>;

export interface DueDelivery
  extends Omit<NewDelivery, 'webhookId' | 'mayJoin'>,
    Pick<WebhookDelivery, 'id' | 'failures'> {
  /** 1 if the body is stored, else 0. */
  readonly kept: number;
  /** 1 if further updates may join it, else 0. */
  readonly joins: number;
}

const BATCH_SIZE = 500;

/** Rows of `one` that must wait: an earlier delivery about the same record is not due yet. */
const waits = sql`EXISTS (SELECT 1 FROM "WebhookDelivery" AS "earlier"
  WHERE "earlier"."webhookId" = "one"."webhookId" AND "earlier"."kind" = "one"."kind"
  AND "earlier"."recordId" = "one"."recordId" AND "earlier"."status" = 'PENDING'
  AND "earlier"."id" < "one"."id" AND "earlier"."nextAttemptAt" > "one"."nextAttemptAt")`;

/** A condition: a row is about the same record, for the same webhook, as the outer one. */
const ofSameRecord = sql`"same"."webhookId" = "WebhookDelivery"."webhookId"
  AND "same"."kind" = "WebhookDelivery"."kind" AND "same"."recordId" = "WebhookDelivery"."recordId"
  AND "same"."status" = 'PENDING' AND "same"."id" < "WebhookDelivery"."id"`;

/** Adds deliveries in this order; each is due at once, or with an earlier one about the same record that waits for a retry. */
export async function addDeliveries(
  tx: Transaction,
  added: readonly NewDelivery[],
  now: Date,
): Promise<void> {
  if (added.length === 0) return;
  const webhookIds = [...new Set(added.map(({ webhookId }) => webhookId))];
  // Always written: `releaseQueue` waits for this transaction, and sees what it added.
  await tx.prisma.$executeRaw(sql`
    UPDATE "WebhookQueue" SET "dueAt" = CASE WHEN "dueAt" <= ${now} THEN "dueAt" ELSE ${now} END
    WHERE "webhookId" IN (${join(webhookIds)})`);
  const ids: number[] = [];
  for (let from = 0; from < added.length; from += BATCH_SIZE) {
    const rows = added.slice(from, from + BATCH_SIZE).map((one) => ({ ...one, nextAttemptAt: now }));
    ids.push(...(await tx.insertMany('WebhookDelivery', rows)));
  }
  // With a later `nextAttemptAt`, queries for due deliveries do not read them.
  await tx.prisma.$executeRaw(sql`
    UPDATE "WebhookDelivery" SET "nextAttemptAt" =
      (SELECT MAX("same"."nextAttemptAt") FROM "WebhookDelivery" AS "same" WHERE ${ofSameRecord})
    WHERE "id" BETWEEN ${ids[0]} AND ${ids.at(-1)}
    AND EXISTS (SELECT 1 FROM "WebhookDelivery" AS "same" WHERE ${ofSameRecord} AND "same"."nextAttemptAt" > ${now})`);
}

function dueSql(webhookId: number, now: Date | null): Sql {
  const due = now === null ? empty : sql`AND "one"."nextAttemptAt" <= ${now}`;
  return sql`FROM "WebhookDelivery" AS "one" WHERE "one"."webhookId" = ${webhookId} AND "one"."status" = 'PENDING' ${due}
    AND NOT ${waits} ORDER BY "one"."nextAttemptAt", "one"."id"`;
}

/** The next deliveries that are due; those about one record in their order, and none while an earlier one waits. */
export async function dueDeliveries(
  db: Data,
  webhookId: number,
  now: Date,
  limit: number,
): Promise<DueDelivery[]> {
  return db.read<DueDelivery>(sql`SELECT "id", "messageId", "event", "kind", "recordId", "createdAt", "failures",
      CASE WHEN "body" IS NULL THEN 0 ELSE 1 END AS "kept", CASE WHEN "mayJoin" THEN 1 ELSE 0 END AS "joins"
    ${dueSql(webhookId, now)} LIMIT ${limit}`);
}

/** Returns the time at which the webhook's next delivery is due; null if none waits. */
export async function nextDue(tx: Transaction, webhookId: number): Promise<Date | null> {
  const [row] = await tx.read<{ nextAttemptAt: Date }>(
    sql`SELECT "nextAttemptAt" ${dueSql(webhookId, null)} LIMIT 1`,
  );
  return row?.nextAttemptAt ?? null;
}

/** The pending deliveries about a record: the index for them needs the status in the text. */
export function pendingAbout(
  webhookId: number,
  { kind, recordId }: Pick<DueDelivery, 'kind' | 'recordId'>,
): Sql {
  return sql`"webhookId" = ${webhookId} AND "kind" = ${kind} AND "recordId" = ${recordId} AND "status" = 'PENDING'`;
}

/**
 * Makes a delivery due now, and those about the same record, with all of their retries: it waits for those before it, and those
 * after it wait for it.
 */
export async function redeliverNow(
  tx: Transaction,
  { id, webhookId, kind, recordId }: Pick<WebhookDelivery, 'id' | 'webhookId' | 'kind' | 'recordId'>,
  now: Date,
): Promise<void> {
  await tx.prisma.webhookQueue.updateMany({ where: { webhookId }, data: { dueAt: now } });
  await tx.prisma.webhookDelivery.updateMany({
    where: { id },
    data: { status: 'PENDING', failures: 0, nextAttemptAt: now },
  });
  await tx.prisma.$executeRaw(sql`
    UPDATE "WebhookDelivery" SET "nextAttemptAt" = ${now}, "failures" = 0
    WHERE ${pendingAbout(webhookId, { kind, recordId })} AND "nextAttemptAt" > ${now}`);
}

/** The body of the last attempt; null if none is stored. */
export async function readBody(db: Data, id: number): Promise<string | null> {
  return (
    (await db.prisma.webhookDelivery.findUnique({ where: { id }, select: { body: true } }))?.body ?? null
  );
}

/** Number of deliveries examined for old ones at once. Any number of disabled webhooks' deliveries may wait for ever. */
const LOOKED_AT = 2_000;

/**
 * Deletes old deliveries, of changes from before a time, that do not wait: of the next ones after an id. Returns the id after which to
 * go on; null if there are no more.
 */
export async function deleteOldDeliveries(db: Data, before: Date, after = 0): Promise<number | null> {
  const next = sql`SELECT "id", "createdAt" FROM "WebhookDelivery" WHERE "id" > ${after} ORDER BY "id" LIMIT ${LOOKED_AT}`;
  const [found] = await db.read<{ last: number | null; old: number }>(sql`SELECT MAX("id") AS "last",
    COUNT(CASE WHEN "createdAt" < ${before} THEN 1 END) AS "old" FROM (${next}) AS "next"`);
  if (found === undefined || found.last === null || found.old === 0) return null;
  await db.execute(sql`DELETE FROM "WebhookDelivery" WHERE "id" > ${after} AND "id" <= ${found.last}
    AND "status" <> 'PENDING' AND "createdAt" < ${before}`);
  return found.last;
}

/** The id of a deleted webhook that has deliveries; null if there is none. The ids of webhooks are read one by one from an index. */
async function deletedWebhook(db: Data): Promise<number | null> {
  const next = (after: Sql) =>
    sql`(SELECT "webhookId" FROM "WebhookDelivery" WHERE "webhookId" > ${after} ORDER BY "webhookId" LIMIT 1)`;
  const [row] = await db.read<{ id: number }>(sql`WITH RECURSIVE "ids" ("id") AS (
      SELECT ${next(sql`0`)} UNION ALL SELECT ${next(sql`"ids"."id"`)} FROM "ids" WHERE "ids"."id" IS NOT NULL
    ) SELECT "id" FROM "ids" WHERE "id" IS NOT NULL AND NOT EXISTS (SELECT 1 FROM "Webhook" WHERE "Webhook"."id" = "ids"."id")
    LIMIT 1`);
  return row?.id ?? null;
}

const DELETE_BATCH_SIZE = 1_000;

/** Deletes some deliveries of a deleted webhook; returns whether there may be more. */
export async function removeDeliveries(db: Data): Promise<boolean> {
  const webhookId = await deletedWebhook(db);
  if (webhookId === null) return false;
  await db.execute(sql`DELETE FROM "WebhookDelivery" WHERE "id" IN (
    SELECT "id" FROM "WebhookDelivery" WHERE "webhookId" = ${webhookId} ORDER BY "id" LIMIT ${DELETE_BATCH_SIZE})`);
  return true;
}

/** Deletes the deliveries of deleted webhooks, in slices. */
export class DeletedWebhooksRemoval extends BatchWork {
  readonly #db: Data;

  constructor(db: Data, log: Logger) {
    super(log, 50);
    this.#db = db;
  }

  override work(): Promise<void> {
    return this.untilNone(() => removeDeliveries(this.#db));
  }
}

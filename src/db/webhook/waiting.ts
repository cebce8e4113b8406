import { type Sql, sql } from '../../engine/db/sql.ts';
import type { Data, Database } from '../database.ts';

/** The waiting messages of an account's enabled webhooks. */
function waitingSql(accountId: number): Sql {
  return sql`FROM "Webhook" JOIN "WebhookDelivery" AS "one" ON "one"."webhookId" = "Webhook"."id"
    WHERE "accountId" = ${accountId} AND NOT "disabled" AND "one"."status" = 'PENDING'`;
}

/** Resolves to true if more than `max` messages wait for the account's enabled webhooks. */
export async function waitsMoreThan(db: Database, accountId: number, max: number): Promise<boolean> {
  const [row] = await db.long.read<{ waiting: number }>(sql`
    SELECT COUNT(*) AS "waiting" FROM (SELECT 1 ${waitingSql(accountId)} LIMIT ${max + 1}) AS "some"`);
  return (row?.waiting ?? 0) > max;
}

export interface WaitingOfWebhook {
  readonly webhookId: number;
  readonly waiting: number;
}

/** Counts the messages that wait for each of the account's enabled webhooks, the most first. */
export function waitingByWebhook(db: Database, accountId: number): Promise<WaitingOfWebhook[]> {
  return db.long.read(sql`SELECT "webhookId", COUNT(*) AS "waiting" ${waitingSql(accountId)}
    GROUP BY "webhookId" ORDER BY COUNT(*) DESC, "webhookId"`);
}

/** A condition for webhooks that are disabled since too many messages waited. */
const isOverfull = sql`"disabled" AND "disabledReason" = 'TOO_MANY_WAITING'`;

/** The webhooks that are disabled since too many messages waited, and for which some still do. */
export async function overfullWebhooks(db: Data): Promise<number[]> {
  const rows = await db.read<{ id: number }>(sql`SELECT "id" FROM "Webhook" WHERE ${isOverfull}
    AND EXISTS (SELECT 1 FROM "WebhookDelivery" WHERE "webhookId" = "Webhook"."id" AND "status" = 'PENDING')`);
  return rows.map(({ id }) => id);
}

const FAIL_BATCH_SIZE = 1_000;

/** Fails some messages that wait for such a webhook, the oldest first; returns whether there may be more. */
export async function failWaiting(db: Data, webhookId: number, error: string): Promise<boolean> {
  const failed = await db.execute(sql`
    UPDATE "WebhookDelivery" SET "status" = 'FAILED', "error" = ${error}, "body" = NULL, "mayJoin" = false
    WHERE "id" IN (SELECT "id" FROM "WebhookDelivery" WHERE "webhookId" = ${webhookId} AND "status" = 'PENDING'
      ORDER BY "nextAttemptAt", "id" LIMIT ${FAIL_BATCH_SIZE} ${db.dialect.lock('FOR UPDATE SKIP LOCKED')})
    AND EXISTS (SELECT 1 FROM "Webhook" WHERE "id" = ${webhookId} AND ${isOverfull})`);
  return failed === FAIL_BATCH_SIZE;
}

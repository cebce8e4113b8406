import { sql } from '../../engine/db/sql.ts';
import type { Data } from '../database.ts';

const BATCH_SIZE = 1_000;

/** Deletes some deliveries that wait, and returns how many. */
async function dropSome(db: Data): Promise<number> {
  return db.execute(sql`DELETE FROM "WebhookDelivery" WHERE "id" IN (
    SELECT "id" FROM "WebhookDelivery" WHERE "status" = 'PENDING' LIMIT ${BATCH_SIZE})`);
}

/** Deletes all deliveries that wait, some in each transaction, and returns how many. */
export async function dropPending(db: Data): Promise<number> {
  let dropped = 0;
  for (let some = BATCH_SIZE; some === BATCH_SIZE; dropped += some) some = await dropSome(db);
  await db.execute(sql`UPDATE "WebhookQueue" SET "dueAt" = NULL WHERE "dueAt" IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM "WebhookDelivery" AS "one" WHERE "one"."webhookId" = "WebhookQueue"."webhookId" AND "one"."status" = 'PENDING')`);
  return dropped;
}

import type { Logger } from 'pino';
import { AgeRetention } from '../engine/db/retention.ts';
import type { RetentionTime } from '../engine/db/retention-clock.ts';
import { sql } from '../engine/db/sql.ts';
import type { Data } from './database.ts';

/** Milliseconds for which keys and invitations are kept after their end. */
const KEPT_FOR = 90 * 24 * 60 * 60 * 1000;
const DELETE_BATCH_SIZE = 500;

/** The latest end of access that is deleted now. */
export const endedBefore = (now: Date): Date => new Date(now.getTime() - KEPT_FOR);

/** Deletes some ended keys and invitations; returns whether there may be more. Keys that the history or a webhook names stay. */
async function deleteEnded(db: Data, before: Date): Promise<boolean> {
  const keys = await db.execute(sql`DELETE FROM "ApiKey" WHERE "id" IN (
    SELECT "id" FROM "ApiKey" AS "ended" WHERE ("revokedAt" <= ${before} OR "expiresAt" <= ${before})
      AND NOT EXISTS (SELECT 1 FROM "Change" WHERE "keyId" = "ended"."id")
      AND NOT EXISTS (SELECT 1 FROM "Webhook"
        WHERE "createdByKeyId" = "ended"."id" OR "changedByKeyId" = "ended"."id")
    ORDER BY "id" LIMIT ${DELETE_BATCH_SIZE})`);
  const invitations = await db.execute(sql`DELETE FROM "Invitation" WHERE "id" IN (
    SELECT "id" FROM "Invitation" WHERE "expiresAt" <= ${before} ORDER BY "id" LIMIT ${DELETE_BATCH_SIZE})`);
  return Math.max(keys, invitations) === DELETE_BATCH_SIZE;
}

/** Deletes keys and invitations some time after their end. */
export function accessRetention(db: Data, now: RetentionTime, log: Logger): AgeRetention {
  const deleteSome = (before: Date) => deleteEnded(db, before);
  return new AgeRetention(log, { maxAge: KEPT_FOR, now, deleteSome });
}

import type { Logger } from 'pino';
import { AgeRetention } from '../engine/db/retention.ts';
import type { RetentionTime } from '../engine/db/retention-clock.ts';
import { sql } from '../engine/db/sql.ts';
import type { Data } from './database.ts';

/** The values of a change, as an API reads them. */
export interface ReadableValues {
  readonly id: number;
  readonly values: string;
  readonly isRevertable: boolean;
}

/**
 * Reads the values of changes; of a change without values, there is no row.
 * @param isWhole whether long texts are whole
 */
export function readValues(db: Data, ids: readonly number[], isWhole: boolean): Promise<ReadableValues[]> {
  const values = isWhole ? sql`COALESCE("long", "values")` : sql`"values"`;
  return db.read(sql`SELECT "id", ${values} AS "values", "isRevertable"
    FROM "ChangeValues" WHERE ${db.dialect.isIn(sql`"id"`, 'integer', ids)}`);
}

/** Maximum number of changes whose values one transaction deletes: with long texts, they are up to 100 MB. */
const DELETE_BATCH_SIZE = 250;

/** Deletes some values of changes from before a time, the oldest first; returns whether there may be more. */
async function deleteOldValues(db: Data, before: Date, now: Date): Promise<boolean> {
  const found = await db.read<{ id: number; at: Date }>(sql`
    SELECT "ChangeValues"."id", "at" FROM "ChangeValues" JOIN "Change" ON "Change"."id" = "ChangeValues"."id"
    ORDER BY "ChangeValues"."id" LIMIT ${DELETE_BATCH_SIZE}`);
  // A clock that was ahead for a while keeps no values that come before old ones.
  const newer = found.findIndex(({ at }) => at >= before && at <= now);
  const old = (newer < 0 ? found : found.slice(0, newer)).findLastIndex(({ at }) => at < before);
  const last = found[old];
  if (last !== undefined) await db.execute(sql`DELETE FROM "ChangeValues" WHERE "id" <= ${last.id}`);
  const notes = await db.execute(sql`DELETE FROM "TakenLinks" WHERE "id" IN (
    SELECT "id" FROM "TakenLinks" WHERE "at" < ${before} ORDER BY "at" LIMIT ${DELETE_BATCH_SIZE})`);
  return old + 1 === DELETE_BATCH_SIZE || notes === DELETE_BATCH_SIZE;
}

/** Maximum number of days for which values are kept, also where changes are kept longer. */
const MAX_DAYS = 90;

/** Deletes the values of changes after `HISTORY_DAYS`, and at the latest after 90 days. */
export function valueRetention(db: Data, historyDays: number, now: RetentionTime, log: Logger): AgeRetention {
  const days = historyDays === 0 ? MAX_DAYS : Math.min(historyDays, MAX_DAYS);
  const maxAge = days * 24 * 60 * 60 * 1000;
  const deleteSome = (before: Date) => deleteOldValues(db, before, new Date(before.getTime() + maxAge));
  return new AgeRetention(log, { maxAge, now, deleteSome });
}

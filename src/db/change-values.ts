import type { Logger } from 'pino';
import { AgeRetention } from '../engine/db/retention.ts';
import type { RetentionTime } from '../engine/db/retention-clock.ts';
import { empty, type Sql, sql } from '../engine/db/sql.ts';
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

/** Everything that is kept of a change. */
export interface KeptChange {
  readonly values: string;
  readonly isRevertable: boolean;
  readonly restoring: string | null;
  readonly memberIds: string | null;
  /** The change that restored the record; null if it was not restored. */
  readonly restoredBy: number | null;
  /** The last link that got the record back. */
  readonly restoredTo: number | null;
}

/** Everything that is kept of a change; null if nothing is. @param locks whether nobody else restores it meanwhile */
export async function findKept(db: Data, id: number, locks = false): Promise<KeptChange | null> {
  const lock = locks ? db.dialect.lock('FOR UPDATE') : empty;
  const [row] = await db.read<KeptChange>(sql`SELECT COALESCE("long", "values") AS "values", "isRevertable",
    "restoring", "memberIds", "restoredBy", "restoredTo" FROM "ChangeValues" WHERE "id" = ${id} ${lock}`);
  return row ?? null;
}

/** Notes which change restored the record, and the last link that got it back. */
export async function noteRestored(
  tx: Data,
  id: number,
  restoredBy: number,
  restoredTo: number,
): Promise<void> {
  await tx.execute(sql`UPDATE "ChangeValues" SET "restoredBy" = ${restoredBy}, "restoredTo" = ${restoredTo}
    WHERE "id" = ${id}`);
}

/** A record, of an account. */
export interface RecordOfAccount {
  readonly accountId: number;
  readonly kind: string;
  readonly recordId: number;
}

const changesOf = ({ accountId, kind, recordId }: RecordOfAccount): Sql =>
  sql`"accountId" = ${accountId} AND "kind" = ${kind} AND "recordId" = ${recordId}`;

/** True if the log has changes of the record. */
export async function hasChanges(db: Data, record: RecordOfAccount): Promise<boolean> {
  return (await db.read(sql`SELECT 1 FROM "Change" WHERE ${changesOf(record)} LIMIT 1`)).length > 0;
}

/** The changes of the record with values, up to a number. */
export async function changesWithValues(db: Data, record: RecordOfAccount, max: number): Promise<number[]> {
  const found = await db.read<{ id: number }>(sql`SELECT "Change"."id" FROM "Change"
    JOIN "ChangeValues" ON "ChangeValues"."id" = "Change"."id" WHERE ${changesOf(record)} LIMIT ${max}`);
  return found.map(({ id }) => id);
}

/** Deletes values of changes, and what was noted for the restoration of their record; returns of how many changes. */
export async function deleteValues(
  tx: Data,
  { accountId, kind, recordId }: RecordOfAccount,
  ids: readonly number[],
): Promise<number> {
  await tx.prisma.takenLinks.deleteMany({ where: { accountId, kind, recordId } });
  return tx.execute(sql`DELETE FROM "ChangeValues" WHERE ${tx.dialect.isIn(sql`"id"`, 'integer', ids)}`);
}

/**
 * True if the record has changes in the log after one of them: a later one has a larger id.
 * @param fields the fields of changes that do not count
 * @param ids further changes that do not count
 */
export async function hasLaterChanges(
  db: Data,
  record: RecordOfAccount & { readonly id: number },
  fields: readonly string[],
  ids: readonly number[],
): Promise<boolean> {
  const others = ids.length > 0 ? sql` AND NOT (${db.dialect.isIn(sql`"id"`, 'integer', ids)})` : sql``;
  const later = sql`${changesOf(record)} AND "id" > ${record.id} AND "fields" <> ${JSON.stringify(fields)}`;
  return (await db.read(sql`SELECT 1 FROM "Change" WHERE ${later}${others} LIMIT 1`)).length > 0;
}

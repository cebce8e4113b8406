import type { Logger } from 'pino';
import { AgeRetention } from '../engine/db/retention.ts';
import type { RetentionTime } from '../engine/db/retention-clock.ts';
import { sql } from '../engine/db/sql.ts';
import { ACCOUNT_BATCH } from './account-rows.ts';
import type { Data } from './database.ts';
import { type Day, dayOf } from './statistics/calendar.ts';

/** The runs of an operation on a day. */
export interface DayRuns {
  readonly operationId: number;
  readonly day: Day;
  readonly runs: number;
  readonly errors: number;
}

/** Days for which runs are kept. */
export const RUNS_KEPT = 90;
const DAY_MS = 86_400_000;
const DELETE_BATCH_SIZE = ACCOUNT_BATCH;

/** Adds runs to the sums of their days. Those of deleted operations are left out. */
export async function addRuns(db: Data, added: readonly DayRuns[]): Promise<void> {
  if (added.length === 0) return;
  // All processes use the same order, to prevent deadlocks.
  const rows = [...added]
    .sort((a, b) => a.operationId - b.operationId || a.day - b.day)
    .map(({ operationId, day, runs, errors }) => [operationId, day, runs, errors]);
  const types = { operation: 'integer', day: 'integer', runs: 'integer', errors: 'integer' } as const;
  await db.execute(sql`INSERT INTO "OperationDay" ("operationId", "day", "runs", "errors")
    SELECT "operation", "added"."day", "added"."runs", "added"."errors"
    FROM ${db.dialect.table(types, rows)} AS "added" JOIN "SavedOperation" ON "id" = "operation"
    WHERE true
    ON CONFLICT ("operationId", "day") DO UPDATE SET
      "runs" = "OperationDay"."runs" + EXCLUDED."runs", "errors" = "OperationDay"."errors" + EXCLUDED."errors"`);
}

/** The runs of some operations since a day, oldest first. */
export async function readRuns(db: Data, operationIds: readonly number[], since: Day): Promise<DayRuns[]> {
  const rows = await db.prisma.operationDay.findMany({
    where: { operationId: { in: [...operationIds] }, day: { gte: since } },
    orderBy: { day: 'asc' },
  });
  return rows.map((row) => ({ ...row, day: row.day as Day })); // Only days are written.
}

/** Deletes some sums of an account's operations; returns how many. */
export function deleteRuns(db: Data, accountId: number): Promise<number> {
  return db.execute(sql`DELETE FROM "OperationDay" WHERE ("operationId", "day") IN (
    SELECT "operationId", "day" FROM "OperationDay" JOIN "SavedOperation" ON "id" = "operationId"
    WHERE "accountId" = ${accountId} LIMIT ${DELETE_BATCH_SIZE})`);
}

async function deleteOldRuns(db: Data, before: Day): Promise<boolean> {
  const deleted = await db.execute(sql`DELETE FROM "OperationDay" WHERE ("operationId", "day") IN (
    SELECT "operationId", "day" FROM "OperationDay" WHERE "day" < ${before} LIMIT ${DELETE_BATCH_SIZE})`);
  return deleted === DELETE_BATCH_SIZE;
}

/** Deletes the sums of old days. */
export function runsRetention(db: Data, now: RetentionTime, log: Logger): AgeRetention {
  const deleteSome = (before: Date) => deleteOldRuns(db, dayOf(before));
  return new AgeRetention(log, { maxAge: RUNS_KEPT * DAY_MS, now, deleteSome });
}

/**
 * Notes by which schema saved operations are being checked.
 * @param schema a number that stands for the schema
 * @returns false if that was noted before
 */
export async function noteCheckedSchema(db: Data, schema: number): Promise<boolean> {
  const noted =
    await db.execute(sql`INSERT INTO "Revision" ("topic", "number") VALUES ('operations', ${schema})
    ON CONFLICT ("topic") DO UPDATE SET "number" = EXCLUDED."number"
    WHERE "Revision"."number" <> EXCLUDED."number"`);
  return noted > 0;
}

/** A saved operation of an account, with the operator's name of the account. */
export interface StoredDocument {
  readonly accountId: number;
  readonly account: string;
  readonly name: string;
  readonly document: string;
}

/** The saved operations of the next account that has some, by their names; none after the last account. */
export async function storedDocuments(db: Data, afterAccount: number): Promise<StoredDocument[]> {
  return db.read<StoredDocument>(sql`SELECT "accountId", "Account"."name" AS "account", "SavedOperation"."name", "document"
    FROM "SavedOperation" JOIN "Account" ON "Account"."id" = "accountId"
    WHERE "accountId" = (SELECT min("accountId") FROM "SavedOperation" WHERE "accountId" > ${afterAccount})
    ORDER BY "SavedOperation"."name"`);
}

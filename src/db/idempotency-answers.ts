import type { Logger } from 'pino';
import type { KeptAnswer } from '../generated/sqlite/client.ts';
import type { Data, Transaction } from './database.ts';
import { AgeRetention } from './retention.ts';
import type { RetentionTime } from './retention-clock.ts';
import { join, name, sql } from './sql.ts';

/** The account and the idempotency key of an answer. */
export type AnswerKey = Pick<KeptAnswer, 'accountId' | 'keyHash'>;
/** An answer that is not stored yet. */
export type NewAnswer = Omit<KeptAnswer, 'id'>;

/** The answer to that key that was stored after `since`; null if there is none. */
export function findAnswer(db: Data, key: AnswerKey, since: Date): Promise<KeptAnswer | null> {
  return db.prisma.keptAnswer.findFirst({ where: { ...key, createdAt: { gt: since } } });
}

/** Tries to lock the key until the transaction ends; returns whether it did. */
export async function tryLockKey(tx: Transaction, { accountId, keyHash }: AnswerKey): Promise<boolean> {
  if (!tx.dialect.hasConcurrentWriters) return true;
  const lock = BigInt.asIntN(64, BigInt(`0x${keyHash.slice(0, 16)}`) ^ BigInt(accountId));
  const [row] = await tx.read<{ taken: boolean }>(
    sql`SELECT pg_try_advisory_xact_lock(${String(lock)}::bigint) AS "taken"`,
  );
  return row?.taken === true;
}

/** Stores an answer, replacing one from before `since`. Returns false if there is a newer one. */
export async function storeAnswer(db: Data, answer: NewAnswer, since: Date): Promise<boolean> {
  const columns = Object.entries(answer);
  const names = join(columns.map(([column]) => name(column)));
  const set = join(columns.map(([column]) => sql`${name(column)} = excluded.${name(column)}`));
  const kept = await db.prisma.$executeRaw(sql`
    INSERT INTO "KeptAnswer" (${names}) VALUES (${join(columns.map(([, value]) => value))})
    ON CONFLICT ("accountId", "keyHash") DO UPDATE SET ${set} WHERE "KeptAnswer"."createdAt" <= ${since}`);
  return kept === 1;
}

/** The maximum number of an account's answers, and of their bytes. */
export interface Bounds {
  readonly count: number;
  readonly bytes: number;
}

export async function deleteExcess(db: Data, accountId: number, { count, bytes }: Bounds): Promise<void> {
  await db.prisma.$executeRaw`
    DELETE FROM "KeptAnswer" WHERE "accountId" = ${accountId} AND "id" <= (
      SELECT MAX("id") FROM (
        SELECT "id", ROW_NUMBER() OVER (ORDER BY "id" DESC) AS "rank", SUM("size") OVER (ORDER BY "id" DESC) AS "total"
        FROM "KeptAnswer" WHERE "accountId" = ${accountId}
      ) AS "kept" WHERE "rank" > ${count} OR "total" > ${bytes})`;
}

const DELETE_BATCH_SIZE = 500;

/** Deletes answers from before a time; returns whether there may be more. */
export async function deleteOldAnswers(db: Data, before: Date): Promise<boolean> {
  const deleted = await db.prisma.$executeRaw`
    DELETE FROM "KeptAnswer" WHERE "createdAt" <= ${before} AND "id" IN (
      SELECT "id" FROM "KeptAnswer" ORDER BY "id" LIMIT ${DELETE_BATCH_SIZE})`;
  return deleted === DELETE_BATCH_SIZE;
}

export function answerRetention(db: Data, maxAge: number, now: RetentionTime, log: Logger): AgeRetention {
  const deleteSome = (before: Date) => deleteOldAnswers(db, before);
  return new AgeRetention(log, { what: 'answers', every: 10 * 60 * 1000 }, { maxAge, now, deleteSome });
}

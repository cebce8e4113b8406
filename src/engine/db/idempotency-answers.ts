import type { Logger } from 'pino';
import { nameFor } from '../tools/name-for.ts';
import type { Volume } from './account-shares.ts';
import { tryLockName } from './advisory-lock.ts';
import type { Data, Transaction } from './database.ts';
import { AgeRetention } from './retention.ts';
import { ANSWERS, RetentionClock } from './retention-clock.ts';
import { join, name, raw, sql } from './sql.ts';

/** A row of the table of answers. */
export interface KeptAnswer {
  readonly id: number;
  readonly accountId: number;
  readonly keyHash: string;
  readonly requestHash: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** The size of the body, in bytes. */
  readonly size: number;
  /** The caller whose limit counts it; null for the service itself, and in rows of earlier versions. */
  readonly caller: number | null;
  /** The name of all who may get it; null in rows of earlier versions. */
  readonly sender: string | null;
  readonly createdAt: Date;
}

const COLUMNS = raw(
  `"id", "accountId", "keyHash", "requestHash", "status", "contentType", "body", "size", "caller", "sender", "createdAt"`,
);

/** The account and the idempotency key of an answer. */
export type AnswerKey = Pick<KeptAnswer, 'accountId' | 'keyHash'>;
/** An answer that is not stored yet. */
export type NewAnswer = Omit<KeptAnswer, 'id'>;

/**
 * The stored answer to that key; null if there is none. Its age does not matter: the clock may be wrong, and only retention
 * deletes answers.
 */
export async function findAnswer(db: Data, { accountId, keyHash }: AnswerKey): Promise<KeptAnswer | null> {
  const [found] = await db.read<KeptAnswer>(sql`
    SELECT ${COLUMNS} FROM "KeptAnswer" WHERE "accountId" = ${accountId} AND "keyHash" = ${keyHash}`);
  return found ?? null;
}

/** The name of an answer. */
export function answerName({ accountId, keyHash }: AnswerKey): string {
  return nameFor('answer', accountId, keyHash);
}

/** Tries to lock the key until the transaction ends; returns whether it did. */
export function tryLockKey(tx: Transaction, key: AnswerKey): Promise<boolean> {
  return tryLockName(tx, answerName(key));
}

/** Stores an answer. Returns false if the key has one already. */
export async function storeAnswer(db: Data, answer: NewAnswer): Promise<boolean> {
  const columns = Object.entries(answer);
  const names = join(columns.map(([column]) => name(column)));
  const kept = await db.prisma.$executeRaw(sql`
    INSERT INTO "KeptAnswer" (${names}) VALUES (${join(columns.map(([, value]) => value))})
    ON CONFLICT ("accountId", "keyHash") DO NOTHING`);
  return kept === 1;
}

/** The answers of a caller from after a time. */
export async function storedVolume(db: Data, caller: number, since: Date): Promise<Volume> {
  const [row] = await db.read<Volume>(sql`
    SELECT COUNT(*) AS "count", COALESCE(SUM("size"), 0) AS "bytes" FROM "KeptAnswer"
    WHERE "caller" = ${caller} AND "createdAt" > ${since}`);
  return row ?? { count: 0, bytes: 0 };
}

/** Returns the time of the first of these answers. */
export async function firstStored(db: Data, caller: number, since: Date): Promise<Date | undefined> {
  const [first] = await db.read<Pick<KeptAnswer, 'createdAt'>>(sql`
    SELECT "createdAt" FROM "KeptAnswer" WHERE "caller" = ${caller} AND "createdAt" > ${since}
    ORDER BY "createdAt" LIMIT 1`);
  return first?.createdAt;
}

const DELETE_BATCH_SIZE = 500;

/** Deletes answers from before a time; returns whether there may be more. */
export async function deleteOldAnswers(db: Data, before: Date): Promise<boolean> {
  const deleted = await db.prisma.$executeRaw`
    DELETE FROM "KeptAnswer" WHERE "id" IN (
      SELECT "id" FROM "KeptAnswer" WHERE "createdAt" <= ${before} ORDER BY "createdAt" LIMIT ${DELETE_BATCH_SIZE})`;
  return deleted === DELETE_BATCH_SIZE;
}

/**
 * Deletes old answers.
 * @param minAge in milliseconds: up to which age an answer is never deleted, whatever the clock says for less than an hour
 */
export function answerRetention(
  db: Data,
  minAge: number,
  now: () => Date,
  log: Logger,
  uptime?: () => number,
): AgeRetention {
  const clock = new RetentionClock(db, ANSWERS, now, log, uptime);
  const maxAge = minAge + ANSWERS.maxLeap;
  const deleteSome = (before: Date) => deleteOldAnswers(db, before);
  return new AgeRetention(log, { maxAge, now: clock.read, deleteSome });
}

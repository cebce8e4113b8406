import { createHmac, randomBytes } from 'node:crypto';
import type { Data, Transaction } from '../database.ts';
import { type Sql, sql } from '../sql.ts';
import { daysOf, type Visits } from './batch.ts';
import { daysAfter } from './calendar.ts';

/** The salts of days, shared by all processes through the database. */
export class Salts {
  readonly #known = new Map<number, string>();

  /** The salts of the days that are not over; missing ones are created. */
  async forDays(db: Data, days: ReadonlySet<number>): Promise<ReadonlyMap<number, string>> {
    const salts = new Map<number, string>();
    const last = Math.max(...days);
    // Those of days that are over are deleted, and those of days that only a wrong clock has seen. `addVisitors` asks whether
    // the last day is over, too.
    for (const day of this.#known.keys()) if (day !== last) this.#known.delete(day);
    for (const day of days) {
      const salt = this.#known.get(day) ?? (await readSalt(db, day));
      if (salt === null) continue;
      salts.set(day, salt);
      this.#known.set(day, salt);
    }
    return salts;
  }
}

/** The last day that is over. */
const lastClosedDay = sql`(SELECT "number" FROM "Revision" WHERE "topic" = 'visitors')`;

/** The salt of a day; null if the day is over. */
async function readSalt(db: Data, day: number): Promise<string | null> {
  await db.prisma.$executeRaw(sql`
    INSERT INTO "DaySalt" ("day", "salt") SELECT CAST(${day} AS INTEGER), ${randomBytes(32).toString('base64url')}
    WHERE ${day} > ${lastClosedDay} ON CONFLICT ("day") DO NOTHING`);
  const [row] = await db.prisma.$queryRaw<{ salt: string }[]>(
    sql`SELECT "salt" FROM "DaySalt" WHERE "day" = ${day}`,
  );
  return row?.salt ?? null;
}

/** Adds the visitors of each day that is not over; returns how many of them are new, by `link day`. */
export async function addVisitors(
  tx: Transaction,
  visits: Visits,
  salts: ReadonlyMap<number, string>,
): Promise<ReadonlyMap<string, number>> {
  const rows: [number, number, string][] = [];
  for (const [id, day, { visitors }] of daysOf(visits)) {
    const salt = salts.get(day);
    if (salt === undefined) continue;
    for (const digest of visitors) {
      const hmac = createHmac('sha256', salt).update(`${id}\n${digest}`).digest('base64url');
      rows.push([day, id, hmac.slice(0, 22)]);
    }
  }
  const added = new Map<string, number>();
  if (rows.length === 0) return added;
  const given = tx.dialect.table({ day: 'integer', linkId: 'integer', hash: 'text' }, rows);
  const inserted = await tx.prisma.$queryRaw<{ linkId: number | bigint; day: number | bigint }[]>(sql`
    INSERT INTO "DayVisitor" ("day", "linkId", "hash") SELECT "day", "linkId", "hash" FROM ${given} AS "given"
    WHERE "day" > ${lastClosedDay} ON CONFLICT DO NOTHING RETURNING "linkId", "day"`);
  for (const { linkId, day } of inserted) {
    const key = `${linkId} ${day}`;
    added.set(key, (added.get(key) ?? 0) + 1);
  }
  return added;
}

const BATCH_SIZE = 5_000;

interface Deleted {
  readonly any: boolean;
  readonly more: boolean;
}

/** Deletes the salts and a batch of the visitors of some days. */
async function deleteVisitors(db: Data, isDeleted: Sql): Promise<Deleted> {
  const salts = await db.prisma.$executeRaw(sql`DELETE FROM "DaySalt" WHERE ${isDeleted}`);
  const visitors = await db.prisma.$executeRaw(sql`
    DELETE FROM "DayVisitor" WHERE ("day", "linkId", "hash") IN (
      SELECT "day", "linkId", "hash" FROM "DayVisitor" WHERE ${isDeleted} LIMIT ${BATCH_SIZE})`);
  return { any: salts + visitors > 0, more: visitors === BATCH_SIZE };
}

/** Deletes those of days after this one, which only a wrong clock can have made: otherwise they would stay until then. */
export function deleteFutureVisitors(db: Data, after: number): Promise<Deleted> {
  return deleteVisitors(db, sql`"day" > ${after}`);
}

/** Deletes those of days before this one, which are over. */
export async function deletePastVisitors(db: Data, before: number): Promise<Deleted> {
  const [closed] = await db.prisma.$queryRaw<{ number: number }[]>(sql`
    SELECT "number" FROM "Revision" WHERE "topic" = 'visitors' AND "number" >= ${before - 1}`);
  if (closed === undefined)
    await db.prisma
      .$executeRaw`UPDATE "Revision" SET "number" = ${before - 1} WHERE "topic" = 'visitors' AND "number" < ${before - 1}`;
  return deleteVisitors(db, sql`"day" < ${before}`);
}

/**
 * Sets the last day that is over back to this one if it is later, by a clock that was wrong: otherwise no visitors would be
 * counted until then. Returns it as it was, or null.
 */
export async function reopenFutureDays(db: Data, last: number): Promise<number | null> {
  const [closed] = await db.read<{ number: number }>(
    sql`SELECT "number" FROM "Revision" WHERE "topic" = 'visitors' AND "number" > ${last}`,
  );
  if (closed === undefined) return null;
  await db.prisma
    .$executeRaw`UPDATE "Revision" SET "number" = ${last} WHERE "topic" = 'visitors' AND "number" > ${last}`;
  return Number(closed.number);
}

/** Allows visitors to be counted from a past day on; only for an empty database, in which none were counted yet. */
export async function reopenDays(db: Data, from: number): Promise<void> {
  await db.prisma
    .$executeRaw`UPDATE "Revision" SET "number" = ${daysAfter(from, -1)} WHERE "topic" = 'visitors'`;
}

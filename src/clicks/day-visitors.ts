import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Day } from '../db/statistics/calendar.ts';
import { lastClosedDay } from '../db/statistics/statistics-retention.ts';
import type { Statements } from '../engine/db/database.ts';
import { sql } from '../engine/db/sql.ts';
import { listDays, type Visits } from './visit-counts.ts';

/** The salts of days, shared by all processes through the database. */
export class Salts {
  readonly #known = new Map<Day, string>();

  /** The salts of the days that are not over; missing ones are created. */
  async forDays(db: Statements, days: ReadonlySet<Day>): Promise<ReadonlyMap<Day, string>> {
    const salts = new Map<Day, string>();
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

/** The salt of a day that another process has made; null if there is none. */
export async function findSalt(db: Statements, day: Day): Promise<string | null> {
  const [row] = await db.read<{ salt: string }>(sql`SELECT "salt" FROM "DaySalt" WHERE "day" = ${day}`);
  return row?.salt ?? null;
}

/** The salt of a day, which is made if there is none; null if the day is over. */
export async function readSalt(db: Statements, day: Day): Promise<string | null> {
  await db.execute(sql`
    INSERT INTO "DaySalt" ("day", "salt") SELECT CAST(${day} AS INTEGER), ${randomBytes(32).toString('base64url')}
    WHERE ${day} > ${lastClosedDay} ON CONFLICT ("day") DO NOTHING`);
  return findSalt(db, day);
}

/** Adds the visitors of each day that is not over; returns how many of them are new, by `link day`. */
export async function addVisitors(
  tx: Statements,
  visits: Visits,
  salts: ReadonlyMap<Day, string>,
): Promise<ReadonlyMap<string, number>> {
  const keys = new Map<string, KeyObject>();
  const rows: [number, number, string][] = [];
  for (const [id, day, { visitors }] of listDays(visits)) {
    const salt = salts.get(day);
    if (salt === undefined || visitors.size === 0) continue;
    // A key that is made once saves a third of the time of each hash.
    const key = keys.get(salt) ?? createSecretKey(salt, 'utf8');
    keys.set(salt, key);
    for (const digest of visitors) {
      const hmac = createHmac('sha256', key).update(`${id}\n${digest}`).digest('base64url');
      rows.push([day, id, hmac.slice(0, 22)]);
    }
  }
  const added = new Map<string, number>();
  if (rows.length === 0) return added;
  const given = tx.dialect.table({ day: 'integer', linkId: 'integer', hash: 'text' }, rows);
  const inserted = await tx.read<{ linkId: number; day: Day }>(sql`
    INSERT INTO "DayVisitor" ("day", "linkId", "hash") SELECT "day", "linkId", "hash" FROM ${given} AS "given"
    WHERE "day" > ${lastClosedDay} ON CONFLICT DO NOTHING RETURNING "linkId", "day"`);
  for (const { linkId, day } of inserted) {
    const key = `${linkId} ${day}`;
    added.set(key, (added.get(key) ?? 0) + 1);
  }
  return added;
}

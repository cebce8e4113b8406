import type { Data } from '../db/database.ts';
import { hasBegun, hasStatus } from '../db/reading/link-status.ts';
import { dayOf, hourOf } from '../db/statistics/calendar.ts';
import { DatabaseAway, isRefused, retryConflicts } from '../engine/db/errors.ts';
import { name, sql } from '../engine/db/sql.ts';
import { Turns } from '../engine/tools/turns.ts';
import type { Link } from '../generated/sqlite/client.ts';
import type { RefusedVisits } from './refused-visits.ts';
import { MAX_COUNT } from './visit-writer.ts';

/** Maximum number of visits of a link counted in the database at once, and milliseconds for which others wait. */
const MAX_AT_ONCE = 2;
const TURN_TIMEOUT = 1_000;

/** A link, and whose it is. */
export type CountedLink = Pick<Link, 'id' | 'accountId'>;

/** The counts of a link before a visit: its clicks, the position of its rotation, and how often its statistics had been reset. */
export interface CountsBefore {
  readonly clicks: number;
  readonly position: number;
  readonly resets: number;
}

export type Turn = Pick<CountsBefore, 'position'>;

const addClick = sql`"clicks" = CASE WHEN "clicks" < ${MAX_COUNT} THEN "clicks" + 1 ELSE "clicks" END`;
const advance = sql`"turns" = CASE WHEN "turns" < ${MAX_COUNT} THEN "turns" + 1 ELSE 1 END`;
const fromActive = (linkId: number, now: Date) =>
  sql`FROM "Link" WHERE "id" = "linkId" AND "linkId" = ${linkId} AND ${hasBegun(now)}
    AND ${hasStatus('ACTIVE', now, sql`"LinkCounter"."clicks"`)}`;

/**
 * If the link is active, counts one visit at once, also for the hour and day of the link and its account, and advances its
 * rotation, if it takes a turn. Returns null if it is not active. One statement checks and counts, so simultaneous visits cannot
 * exceed a click limit.
 */
async function countAtOnce(
  db: Data,
  linkId: number,
  now: Date,
  takesTurn: boolean,
): Promise<CountsBefore | null> {
  if (!takesTurn && !db.dialect.hasWritableCtes) return countWithoutTurn(db, linkId, now);
  const update = sql`
    UPDATE "LinkCounter" SET ${addClick}, ${takesTurn ? sql`${advance},` : sql``} "lastClickedAt" = ${now} ${fromActive(linkId, now)}
    RETURNING "clicks", "turns" AS "position", "resets", "LinkCounter"."accountId" AS "account"`;
  // Without writable CTEs, a trigger adds to the hours and days.
  const statement = !db.dialect.hasWritableCtes
    ? update
    : // Each part reads the one before, so that PostgreSQL locks rows in the order of other writes, and they cannot deadlock.
      sql`WITH "counted" AS (${update}),
      "inHour" AS (
        INSERT INTO "LinkHour" ("linkId", "hour", "clicks") SELECT ${linkId}::integer, ${hourOf(now)}::integer, 1 FROM "counted"
        ON CONFLICT ("linkId", "hour") DO UPDATE SET "clicks" = "LinkHour"."clicks" + 1 RETURNING 1
      ), "inDay" AS (
        INSERT INTO "LinkDay" ("linkId", "day", "clicks") SELECT ${linkId}::integer, ${dayOf(now)}::integer, 1 FROM "inHour"
        ON CONFLICT ("linkId", "day") DO UPDATE SET "clicks" = "LinkDay"."clicks" + 1 RETURNING 1
      ), "inAccountHour" AS (
        INSERT INTO "AccountHour" ("accountId", "hour", "clicks") SELECT "account", ${hourOf(now)}::integer, 1 FROM "inDay", "counted"
        ON CONFLICT ("accountId", "hour") DO UPDATE SET "clicks" = "AccountHour"."clicks" + 1 RETURNING "accountId" AS "account"
      ), "inAccountDay" AS (
        INSERT INTO "AccountDay" ("accountId", "day", "clicks") SELECT "account", ${dayOf(now)}::integer, 1 FROM "inAccountHour"
        ON CONFLICT ("accountId", "day") DO UPDATE SET "clicks" = "AccountDay"."clicks" + 1
      )
      SELECT "clicks", "position", "resets" FROM "counted"`;
  const [row] = await retryConflicts(() => db.read<CountsBefore>(statement));
  return row ? { ...row, clicks: row.clicks - 1, position: row.position - (takesTurn ? 1 : 0) } : null;
}

/** Counts as `countAtOnce` does without a turn, where a trigger would count only a visit that takes one. */
function countWithoutTurn(db: Data, linkId: number, now: Date): Promise<CountsBefore | null> {
  return db.transaction(async (tx) => {
    const [row] = await tx.read<CountsBefore & { account: number }>(sql`
      UPDATE "LinkCounter" SET ${addClick}, "lastClickedAt" = ${now} ${fromActive(linkId, now)}
      RETURNING "clicks", "turns" AS "position", "resets", "LinkCounter"."accountId" AS "account"`);
    if (row === undefined) return null;
    const { account, ...counts } = row;
    const add = (owner: 'Link' | 'Account', id: number) => [
      sql`INSERT INTO ${name(`${owner}Hour`)} (${name(`${owner.toLowerCase()}Id`)}, "hour", "clicks")
        VALUES (${id}, ${hourOf(now)}, 1) ON CONFLICT DO UPDATE SET "clicks" = "clicks" + 1`,
      sql`INSERT INTO ${name(`${owner}Day`)} (${name(`${owner.toLowerCase()}Id`)}, "day", "clicks")
        VALUES (${id}, ${dayOf(now)}, 1) ON CONFLICT DO UPDATE SET "clicks" = "clicks" + 1`,
    ];
    for (const statement of [...add('Link', linkId), ...add('Account', account)]) await tx.execute(statement);
    return { ...counts, clicks: counts.clicks - 1 };
  });
}

/**
 * Advances the rotation of a link, and returns the position before; null if the link is not active. The visit is counted later: a
 * turn whose answer is lost counts nothing.
 */
async function takeTurn(db: Data, linkId: number, now: Date): Promise<Turn | null> {
  const statement = sql`UPDATE "LinkCounter" SET ${advance} ${fromActive(linkId, now)} RETURNING "turns" - 1 AS "position"`;
  const [turn] = await retryConflicts(() => db.read<Turn>(statement));
  return turn ?? null;
}

/**
 * Counts as `countAtOnce` does, but without statistics. For visits whose statistics the database refuses; their values
 * are not written either.
 */
function countWithoutStatistics(db: Data, linkId: number, now: Date): Promise<CountsBefore | null> {
  return db.transaction(async (tx) => {
    const [row] = await tx.read<
      Pick<CountsBefore, 'clicks' | 'position'>
    >(sql`UPDATE "LinkCounter" SET ${addClick}, "lastClickedAt" = ${now} ${fromActive(linkId, now)}
        RETURNING "clicks", "turns" AS "position"`);
    if (row === undefined) return null;
    // By a statement of its own: on SQLite, a trigger counts the hour of a visit that changes both.
    await tx.prisma.$executeRaw(sql`UPDATE "LinkCounter" SET ${advance} WHERE "linkId" = ${linkId}`);
    // Less than any number of resets: the visit's values are left out, like those from before a reset.
    return { clicks: row.clicks - 1, position: row.position, resets: -1 };
  });
}

/**
 * Counts visits in the database before they are answered. Visits of a link wait for one row, so only few of them are in the
 * database at a time, each by a connection. On SQLite, they share one anyway.
 */
export class ImmediateCounts {
  readonly #db: Data;
  readonly #refused: RefusedVisits;
  readonly #turns = new Turns<number>({
    maxOfOwner: () => MAX_AT_ONCE,
    timeout: TURN_TIMEOUT,
    refusal: () => new DatabaseAway('too many visits of the link wait for the database'),
  });

  constructor(db: Data, refused: RefusedVisits) {
    this.#db = db;
    this.#refused = refused;
  }

  /** Counts a visit of an active link, also in its hour and day unless the database refuses them; null if the link is not active. */
  count(link: CountedLink, at: Date, takesTurn = true): Promise<CountsBefore | null> {
    return this.#inTurn(link, async () => {
      try {
        return await countAtOnce(this.#db, link.id, at, takesTurn);
      } catch (error) {
        if (!isRefused(error)) throw error;
        const before = await countWithoutStatistics(this.#db, link.id, at);
        if (before) this.#refused.addStatistics(link.id, error);
        return before;
      }
    });
  }

  /** The next turn of an active link's rotation; null if the link is not active. */
  takeTurn(link: CountedLink, at: Date): Promise<Turn | null> {
    return this.#inTurn(link, () => takeTurn(this.#db, link.id, at));
  }

  #inTurn<T>({ id, accountId }: CountedLink, count: () => Promise<T>): Promise<T> {
    const { database, dialect } = this.#db;
    if (!dialect.hasConcurrentWriters) return count();
    return this.#turns.take(id, () => database.onBehalfOf(accountId, count));
  }
}

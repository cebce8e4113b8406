import type { Logger } from 'pino';
import { Retention } from '../../engine/db/retention.ts';
import type { RetentionTime } from '../../engine/db/retention-clock.ts';
import { empty, join, name, type Sql, sql } from '../../engine/db/sql.ts';
import { emptyLog } from '../../engine/db/sqlite/file.ts';
import type { Data, Database } from '../database.ts';
import {
  type Day,
  dayOf,
  daysAfter,
  firstDayOf,
  hourIn,
  type Month,
  monthOf,
  monthsAfter,
} from './calendar.ts';
import { removeDeletedStatistics } from './delete-statistics.ts';
import { kinds } from './value.ts';

/** Milliseconds after the end of a day in which its last visits may still be written. */
const WRITE_DELAY = 2 * 60_000;
/** Number of links that one statement examines; most have nothing that is too old. */
const MAX_EXAMINED_LINKS = 500;
/** For how many links, and how many visitors or rows of an account, one statement deletes. */
const MAX_LINKS = 10;
const MAX_ROWS = 5_000;

/** The last day that is over. */
export const lastClosedDay = sql`(SELECT "number" FROM "Revision" WHERE "topic" = 'visitors')`;

interface Deleted {
  readonly any: boolean;
  readonly more: boolean;
}

/** Deletes the salts and a batch of the visitors of some days. */
async function deleteVisitors(db: Data, isDeleted: Sql): Promise<Deleted> {
  const salts = await db.prisma.$executeRaw(sql`DELETE FROM "DaySalt" WHERE ${isDeleted}`);
  const visitors = await db.prisma.$executeRaw(sql`
    DELETE FROM "DayVisitor" WHERE ("day", "linkId", "hash") IN (
      SELECT "day", "linkId", "hash" FROM "DayVisitor" WHERE ${isDeleted} LIMIT ${MAX_ROWS})`);
  return { any: salts + visitors > 0, more: visitors === MAX_ROWS };
}

/** Deletes those of days after this one, which only a wrong clock can have made: otherwise they would stay until then. */
function deleteFutureVisitors(db: Data, after: Day): Promise<Deleted> {
  return deleteVisitors(db, sql`"day" > ${after}`);
}

/** Deletes those of days before this one, which are over. */
export async function deletePastVisitors(db: Data, before: Day): Promise<Deleted> {
  const last = daysAfter(before, -1);
  const [closed] = await db.prisma.$queryRaw<{ number: number }[]>(sql`
    SELECT "number" FROM "Revision" WHERE "topic" = 'visitors' AND "number" >= ${last}`);
  if (closed === undefined)
    await db.prisma
      .$executeRaw`UPDATE "Revision" SET "number" = ${last} WHERE "topic" = 'visitors' AND "number" < ${last}`;
  return deleteVisitors(db, sql`"day" < ${before}`);
}

/**
 * Sets the last day that is over back to this one if it is later, by a clock that was wrong: otherwise no visitors would be
 * counted until then. Returns it as it was, or null.
 */
async function reopenFutureDays(db: Data, last: Day): Promise<Day | null> {
  const [closed] = await db.read<{ number: Day }>(
    sql`SELECT "number" FROM "Revision" WHERE "topic" = 'visitors' AND "number" > ${last}`,
  );
  if (closed === undefined) return null;
  await db.prisma
    .$executeRaw`UPDATE "Revision" SET "number" = ${last} WHERE "topic" = 'visitors' AND "number" > ${last}`;
  return closed.number;
}

/** Allows visitors to be counted from a past day on; only for an empty database, in which none were counted yet. */
export async function reopenDays(db: Data, from: Day): Promise<void> {
  await db.prisma
    .$executeRaw`UPDATE "Revision" SET "number" = ${daysAfter(from, -1)} WHERE "topic" = 'visitors'`;
}

interface Clocks {
  /** The time by which statistics are deleted. */
  readonly retention: RetentionTime;
  /** The time by a clock that all processes share. */
  readonly shared: () => Promise<Date>;
}

/** The time of the database's server; on SQLite, of this machine. */
async function serverTime(db: Data, now: () => Date): Promise<Date> {
  if (db.dialect.runsInProcess) return now();
  const [row] = await db.read<{ seconds: string }>(
    sql`SELECT EXTRACT(EPOCH FROM clock_timestamp())::text AS "seconds"`,
  );
  return row ? new Date(Number(row.seconds) * 1000) : now();
}

/**
 * Deletes visitors when their day is over, and statistics that are older than a number of months. Several processes may do
 * so at once.
 */
export class StatisticsRetention extends Retention {
  readonly #database: Database;
  readonly #db: Data;
  readonly #months: number;
  readonly #now: () => Date;
  readonly #clocks: Clocks;
  /** The first month whose statistics are kept, after all earlier ones were deleted. */
  #done: Month | null = null;
  /** True if deleted visitors may still be in SQLite's write-ahead log. */
  #areLogged = false;

  /** @param months 0 keeps all */
  constructor(
    database: Database,
    months: number,
    now: () => Date,
    log: Logger,
    clocks: Partial<Clocks> = {},
  ) {
    super(log, 50);
    this.#database = database;
    this.#db = database;
    this.#months = months;
    this.#now = now;
    this.#clocks = { retention: now, shared: () => serverTime(database, now), ...clocks };
  }

  override async deleteOld(): Promise<void> {
    const shared = await this.#clocks.shared();
    const reopened = await reopenFutureDays(this.#db, daysAfter(dayOf(shared), -1));
    if (reopened !== null)
      this.log.warn(
        { closed: reopened, today: dayOf(shared) },
        'visitors were not counted: a wrong clock had ended days of the future, which are open again',
      );
    // A process whose clock is ahead ends no day for the others.
    const ended = Math.min(this.#now().getTime(), shared.getTime()) - WRITE_DELAY;
    const [firstOpen, tomorrow] = [dayOf(new Date(ended)), daysAfter(dayOf(shared), 1)];
    for (const deleteSome of [
      () => deletePastVisitors(this.#db, firstOpen),
      () => deleteFutureVisitors(this.#db, tomorrow),
    ])
      await this.untilNone(async () => {
        const { any, more } = await deleteSome();
        this.#areLogged ||= any;
        return more;
      });
    const { provider, url } = this.#database;
    if (provider === 'sqlite' && this.#areLogged) this.#areLogged = !emptyLog(url);
    if (this.#months === 0) return;
    const now = await this.#clocks.retention();
    if (now === null) return;
    const first = monthsAfter(monthOf(dayOf(now)), -this.#months);
    if (first === this.#done) return;
    await this.#deleteOfLinks(first);
    // Sums of accounts subtract what deleted links still have.
    await this.untilNone(() => removeDeletedStatistics(this.#db));
    await this.#deleteOfAccounts(first);
    await this.untilNone(
      async () =>
        (await this.#db.prisma.$executeRaw`DELETE FROM "VisitValue" WHERE "id" IN (
          SELECT "id" FROM "VisitValue" WHERE "month" < ${first} LIMIT ${MAX_ROWS})`) === MAX_ROWS,
    );
    if (!this.isStopped) this.#done = first;
  }

  async #deleteOfLinks(first: Month): Promise<void> {
    const tables = listTables('Link', first);
    // A link with any statistics of a day has a row of that day in LinkDay.
    const isOld = sql`EXISTS (SELECT 1 FROM "LinkDay" AS "old"
      WHERE "old"."linkId" = "LinkCounter"."linkId" AND "old"."day" < ${firstDayOf(first)})`;
    let after = 0;
    await this.untilNone(async () => {
      const links = await this.#db.read<{
        linkId: number;
        isOld: number | boolean;
      }>(sql`SELECT "linkId", ${isOld} AS "isOld" FROM "LinkCounter" WHERE "linkId" > ${after}
          ORDER BY "linkId" LIMIT ${MAX_EXAMINED_LINKS}`);
      after = links.at(-1)?.linkId ?? after;
      const old = links.filter((link) => link.isOld).map(({ linkId }) => linkId);
      await this.untilNone(async () => {
        const ids = old.splice(0, MAX_LINKS);
        if (ids.length > 0)
          for (const { table, time, before } of tables) {
            const key = join(['linkId', ...keyColumns(table, time)].map(name));
            const some = sql`SELECT ${key} FROM ${name(table)}
              WHERE "linkId" IN (${join(ids)}) AND ${name(time)} < ${before} LIMIT ${MAX_ROWS}`;
            await this.untilNone(
              async () =>
                (await this.#db.execute(sql`DELETE FROM ${name(table)} WHERE (${key}) IN (${some})`)) ===
                MAX_ROWS,
            );
          }
        return old.length > 0;
      });
      return links.length === MAX_EXAMINED_LINKS;
    });
  }

  async #deleteOfAccounts(first: Month): Promise<void> {
    const accounts = await this.#db.prisma.account.findMany({ select: { id: true } });
    for (const { id } of accounts)
      for (const { table, time, before } of listTables('Account', first)) {
        const keys = keyColumns(table, time);
        const key = join(keys.map(name));
        // Each kind separately, so that the primary key finds the oldest rows.
        for (const kind of keys.length > 1 ? Object.values(kinds) : [null]) {
          const ofKind = kind === null ? empty : sql`AND "kind" = ${kind}`;
          await this.untilNone(
            async () =>
              (await this.#db.prisma.$executeRaw(sql`
                DELETE FROM ${name(table)} WHERE "accountId" = ${id} AND (${key}) IN (
                  SELECT ${key} FROM ${name(table)} WHERE "accountId" = ${id} ${ofKind} AND ${name(time)} < ${before}
                  LIMIT ${MAX_ROWS})`)) === MAX_ROWS,
          );
        }
      }
  }
}

/** The columns of the primary key of a table of statistics, without the owner. */
const keyColumns = (table: string, time: string): string[] =>
  table.endsWith('Value') ? ['kind', time, 'valueId'] : [time];

/** The tables of an owner, with the first time of each that is kept; last the one by which old statistics are found. */
function listTables(owner: 'Link' | 'Account', month: Month) {
  const day = firstDayOf(month);
  return [
    { table: `${owner}Hour`, time: 'hour', before: hourIn(day, 0) },
    { table: `${owner}DayValue`, time: 'day', before: day },
    { table: `${owner}MonthValue`, time: 'month', before: month },
    { table: `${owner}Day`, time: 'day', before: day },
  ] as const;
}

import type { Logger } from 'pino';
import type { Data, Database } from '../database.ts';
import { Retention } from '../retention.ts';
import type { RetentionTime } from '../retention-clock.ts';
import { empty, join, name, sql } from '../sql.ts';
import { emptyLog } from '../sqlite/file.ts';
import { dayOf, daysAfter, enclosingPeriod, monthsAfter } from './calendar.ts';
import { kinds } from './value.ts';
import { deleteFutureVisitors, deletePastVisitors, reopenFutureDays } from './visitors.ts';

/** How long after the end of a day its last visits may still be written, in milliseconds. */
const WRITE_DELAY = 2 * 60_000;
/** How many links one statement examines: most have nothing that is too old. */
const MAX_EXAMINED_LINKS = 500;
/** For how many links, and how many rows of an account, one statement deletes. */
const MAX_LINKS = 10;
const MAX_ROWS = 5_000;

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
  #done = 0;
  /** Whether deleted visitors may still be in SQLite's write-ahead log. */
  #areLogged = false;

  /** @param months 0 keeps all */
  constructor(
    database: Database,
    months: number,
    now: () => Date,
    log: Logger,
    clocks: Partial<Clocks> = {},
  ) {
    super(log, { what: 'statistics', every: 60_000, pause: 50 });
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
    const first = monthsAfter(enclosingPeriod(dayOf(now)), -this.#months);
    if (first === this.#done) return;
    await this.#deleteOfLinks(first);
    await this.#deleteOfAccounts(first);
    await this.untilNone(
      async () =>
        (await this.#db.prisma.$executeRaw`DELETE FROM "VisitValue" WHERE "id" IN (
          SELECT "id" FROM "VisitValue" WHERE "month" < ${first} LIMIT ${MAX_ROWS})`) === MAX_ROWS,
    );
    if (!this.isStopped) this.#done = first;
  }

  async #deleteOfLinks(first: number): Promise<void> {
    const tables = tablesOf('Link', first);
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
          for (const { table, time, before } of tables)
            await this.#db.prisma.$executeRaw(
              sql`DELETE FROM ${name(table)} WHERE "linkId" IN (${join(ids)}) AND ${name(time)} < ${before}`,
            );
        return old.length > 0;
      });
      return links.length === MAX_EXAMINED_LINKS;
    });
  }

  async #deleteOfAccounts(first: number): Promise<void> {
    const accounts = await this.#db.prisma.account.findMany({ select: { id: true } });
    for (const { id } of accounts)
      for (const { table, time, before } of tablesOf('Account', first)) {
        const keys = !table.endsWith('Value') ? [time] : ['kind', time, 'valueId'];
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

function firstDayOf(month: number): number {
  return month * 100 + 1;
}

/** The tables of an owner, with the first time of each that is kept; last the one by which old statistics are found. */
function tablesOf(owner: 'Link' | 'Account', month: number) {
  const day = firstDayOf(month);
  return [
    { table: `${owner}Hour`, time: 'hour', before: day * 100 },
    { table: `${owner}DayValue`, time: 'day', before: day },
    { table: `${owner}MonthValue`, time: 'month', before: month },
    { table: `${owner}Day`, time: 'day', before: day },
  ] as const;
}

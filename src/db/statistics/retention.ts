import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../connection/client.ts';
import { join, name, sql } from '../reading/list.ts';
import { above, dayOf, monthsAfter } from './calendar.ts';
import { kinds } from './value.ts';
import { forgetVisitors } from './visitors.ts';

/** How often it looks whether a day is over, and how long visits of a day may still be on their way then, in milliseconds. */
const EVERY = 60_000;
const GRACE = 2 * 60_000;
/** How long it lets others have their turn between two statements, in milliseconds. */
const BREAK = 50;
/** Of how many links, and how many rows of an account, one statement deletes. */
const LINKS_TOGETHER = 10;
const ROWS_TOGETHER = 5_000;

/**
 * Forgets visitors when their day is over, and deletes statistics that are older than so many months. Several processes may do so
 * at once: what one has deleted, the others do not find.
 */
export class StatisticsRetention {
  readonly #db: Db;
  readonly #months: number;
  readonly #now: () => Date;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | null = null;
  #stopped = false;
  /** The first month whose statistics are kept, once all before it are deleted. */
  #done = 0;

  /** @param months 0 keeps all */
  constructor(db: Db, months: number, now: () => Date, log: Logger) {
    this.#db = db;
    this.#months = months;
    this.#now = now;
    this.#log = log;
  }

  start(): void {
    const begin = () => {
      this.#working ??= this.deleteOld()
        .catch((error: unknown) => {
          this.#log.warn({ err: error }, 'old statistics could not be deleted');
        })
        .finally(() => {
          this.#working = null;
        });
    };
    begin();
    this.#timer = setInterval(begin, EVERY).unref();
  }

  /** Deletes all that is too old now. */
  async deleteOld(): Promise<void> {
    const now = this.#now();
    await this.#until(() => forgetVisitors(this.#db, dayOf(new Date(now.getTime() - GRACE))));
    if (this.#months === 0) return;
    const first = monthsAfter(above(dayOf(now)), -this.#months);
    if (first === this.#done) return;
    await this.#deleteOfLinks(first);
    await this.#deleteOfAccounts(first);
    await this.#until(
      async () =>
        (await this.#db.$executeRaw`DELETE FROM "VisitValue" WHERE "id" IN (
          SELECT "id" FROM "VisitValue" WHERE "month" < ${first} LIMIT ${ROWS_TOGETHER})`) === ROWS_TOGETHER,
    );
    if (!this.#stopped) this.#done = first;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#working;
  }

  async #until(again: () => Promise<boolean>): Promise<void> {
    while (!this.#stopped && (await again())) await setTimeout(BREAK);
  }

  async #deleteOfLinks(first: number): Promise<void> {
    let after = 0;
    await this.#until(async () => {
      const links = await this.#db.$queryRaw<{ linkId: number }[]>`
        SELECT "linkId" FROM "LinkCounter" WHERE "linkId" > ${after} ORDER BY "linkId" LIMIT ${LINKS_TOGETHER}`;
      const ids = links.map(({ linkId }) => linkId);
      after = ids.at(-1) ?? after;
      if (ids.length > 0)
        for (const { table, time, before } of tablesOf('Link', first))
          await this.#db.$executeRaw(
            sql`DELETE FROM ${name(table)} WHERE "linkId" IN (${join(ids)}) AND ${name(time)} < ${before}`,
          );
      return ids.length === LINKS_TOGETHER;
    });
  }

  async #deleteOfAccounts(first: number): Promise<void> {
    const accounts = await this.#db.account.findMany({ select: { id: true } });
    for (const { id } of accounts)
      for (const { table, time, before } of tablesOf('Account', first)) {
        const keys = !table.endsWith('Value') ? [time] : ['kind', time, 'valueId'];
        const key = join(keys.map(name));
        // Of each kind by itself, so that the key finds the oldest.
        for (const kind of keys.length > 1 ? Object.values(kinds) : [null]) {
          const ofKind = kind === null ? sql`` : sql`AND "kind" = ${kind}`;
          await this.#until(
            async () =>
              (await this.#db.$executeRaw(sql`
                DELETE FROM ${name(table)} WHERE "accountId" = ${id} AND (${key}) IN (
                  SELECT ${key} FROM ${name(table)} WHERE "accountId" = ${id} ${ofKind} AND ${name(time)} < ${before}
                  LIMIT ${ROWS_TOGETHER})`)) === ROWS_TOGETHER,
          );
        }
      }
  }
}

/** The tables of an owner, and the first time that stays of each. */
function tablesOf(owner: 'Link' | 'Account', month: number) {
  const day = month * 100 + 1;
  return [
    { table: `${owner}Hour`, time: 'hour', before: day * 100 },
    { table: `${owner}Day`, time: 'day', before: day },
    { table: `${owner}DayValue`, time: 'day', before: day },
    { table: `${owner}MonthValue`, time: 'month', before: month },
  ] as const;
}

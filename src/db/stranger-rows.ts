import type { Logger } from 'pino';
import { Retention } from '../engine/db/retention.ts';
import { name, sql } from '../engine/db/sql.ts';
import type { Data } from './database.ts';

/** The tables that strangers fill, with their keys, and the columns of their times. */
const tables = {
  OneTimeToken: { key: 'id', time: 'expiresAt' },
  SignInGuesses: { key: 'emailHash', time: 'since' },
} as const;

export type StrangersTable = keyof typeof tables;

/** Milliseconds for which rows count after the time in their column. */
export const lifetimes: Readonly<Record<StrangersTable, number>> = {
  OneTimeToken: 0,
  SignInGuesses: 60 * 60 * 1000,
};

/** Up to which time rows have ended. */
const lifetimeEnd = (table: StrangersTable, now: Date) => new Date(now.getTime() - lifetimes[table]);

/** The rows of the table that have not ended, of one network or of all; counted up to a maximum. */
export async function countRows(
  db: Data,
  table: StrangersTable,
  now: Date,
  max: number,
  network?: string,
): Promise<number> {
  const of = network === undefined ? sql`` : sql`"network" = ${network} AND`;
  const { time } = tables[table];
  const [row] = await db.read<{ rows: number }>(sql`SELECT COUNT(*) AS "rows" FROM (
    SELECT 1 FROM ${name(table)} WHERE ${of} ${name(time)} > ${lifetimeEnd(table, now)} LIMIT ${max}) AS "some"`);
  return row?.rows ?? 0;
}

const DELETE_BATCH_SIZE = 1_000;

/** Deletes what has ended of the rows that strangers add. */
export class StrangersRetention extends Retention {
  readonly #db: Data;
  readonly #now: () => Date;

  constructor(db: Data, now: () => Date, log: Logger) {
    super(log, 20);
    this.#db = db;
    this.#now = now;
  }

  override async deleteOld(): Promise<void> {
    for (const table of ['OneTimeToken', 'SignInGuesses'] as const)
      await this.untilNone(
        async () => (await deleteEnded(this.#db, table, this.#now())) === DELETE_BATCH_SIZE,
      );
  }
}

/** Deletes some rows that have ended, and returns how many. */
function deleteEnded(db: Data, table: StrangersTable, now: Date): Promise<number> {
  const [key, time] = [name(tables[table].key), name(tables[table].time)];
  return db.execute(sql`DELETE FROM ${name(table)} WHERE ${key} IN (
    SELECT ${key} FROM ${name(table)} WHERE ${time} <= ${lifetimeEnd(table, now)} ORDER BY ${time} LIMIT ${DELETE_BATCH_SIZE})`);
}

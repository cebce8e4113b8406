import type { Data, Transaction } from '../../db/database.ts';
import { countRows, type StrangersTable } from '../../db/stranger-rows.ts';
import { lockName } from '../../engine/db/advisory-lock.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import { hashToken } from './actor.ts';

/** Numbers of unexpired rows of a table at which strangers, and one network, can add no more. */
const MAX_ROWS = 100_000;
const MAX_OF_NETWORK = 1_000;
/** From how many rows on they are not counted for each request, but once a second, in milliseconds. */
const MANY_ROWS = 10_000;
const COUNT_INTERVAL = 1_000;
/** Seconds after which to retry; expired rows are deleted each minute. */
const RETRY_AFTER = 60;

/** The person who causes a row, by the name of their network: a stranger or a signed-in user. */
export interface Asker {
  readonly network: string;
  readonly isStranger: boolean;
}

/** The hash of the network that is stored with a row. */
export const storedNetwork = ({ network }: Asker): string => hashToken(network);

const tooMany = (message: string) => new DomainError('RATE_LIMITED', message, [], RETRY_AFTER);

/**
 * Adds a row for somebody, unless their network has too many.
 * @throws DomainError RATE_LIMITED
 */
export async function addFor<T>(
  db: Data,
  table: StrangersTable,
  asker: Asker,
  now: Date,
  add: (tx: Transaction) => Promise<T>,
): Promise<T> {
  if (asker.isStranger && (await isFull(db, table, now)))
    throw tooMany('Too many people are signing in. Try again in a minute.');
  const network = storedNetwork(asker);
  return db.transaction(async (tx) => {
    // Lets one transaction at a time add rows of a network.
    await lockName(tx, asker.network);
    if ((await countRows(tx, table, now, MAX_OF_NETWORK, network)) >= MAX_OF_NETWORK)
      throw tooMany('Too many sign-ins were begun here. Try again in a minute.');
    return add(tx);
  });
}

/** True if the table has too many rows for strangers. A large table is counted at most once a second. */
async function isFull(db: Data, table: StrangersTable, now: Date): Promise<boolean> {
  const { strangersRows } = db.database;
  const known = strangersRows.get(table);
  if (known && known.rows >= MANY_ROWS && performance.now() - known.at < COUNT_INTERVAL)
    return known.rows >= MAX_ROWS;
  const rows = await countRows(db, table, now, MAX_ROWS);
  strangersRows.set(table, { rows, at: performance.now() });
  return rows >= MAX_ROWS;
}

import { lockName } from '../../db/advisory-lock.ts';
import type { Data, Transaction } from '../../db/database.ts';
import { countRows, type StrangersTable } from '../../db/stranger-rows.ts';
import { DomainError } from '../errors.ts';
import { hashToken } from './actor.ts';

/** How many rows that have not ended a table has when strangers add none any more, and how many a network adds. */
const MAX_ROWS = 100_000;
const MAX_OF_NETWORK = 1_000;
/** From how many rows on they are not counted for each request, but once a second, in milliseconds. */
const MANY_ROWS = 10_000;
const COUNT_INTERVAL = 1_000;
/** When to try again, in seconds: rows that have ended are deleted each minute. */
const RETRY_AFTER = 60;

/** Who causes a row, by the name of their network: a stranger, or somebody who is signed in. */
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

/** Whether the table has too many rows. Many rows are counted once a second. */
async function isFull(db: Data, table: StrangersTable, now: Date): Promise<boolean> {
  const { strangersRows } = db.database;
  const known = strangersRows.get(table);
  if (known && known.rows >= MANY_ROWS && performance.now() - known.at < COUNT_INTERVAL)
    return known.rows >= MAX_ROWS;
  const rows = await countRows(db, table, now, MAX_ROWS);
  strangersRows.set(table, { rows, at: performance.now() });
  return rows >= MAX_ROWS;
}

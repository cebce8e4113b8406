import { Prisma } from '../../generated/sqlite/client.ts';
import { name, sql } from '../reading/list.ts';
import { type Db, isSqlite, markSqlite } from './client.ts';
import { directTransaction, readRows } from './direct.ts';
import { retryConflicts } from './retry.ts';

export type Tx = Prisma.TransactionClient;

/** How long a transaction waits for a connection, and how long it may take, in milliseconds. */
const LIMITS = { maxWait: 5_000, timeout: 30_000 };

/** What is to be done once a transaction is committed. */
const afterwards = new WeakMap<Tx, (() => void)[]>();

/** Does work within a transaction that was begun around it. */
type Within = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

const enclosed = new WeakMap<Db, { client: Db; within: Within }>();

/** Has the transactions of `db`, which stands in for the client, be parts of one. */
export function nested(db: Db, client: Db, within: Within): void {
  enclosed.set(db, { client, within });
  if (isSqlite(client)) markSqlite(db);
}

/** The client itself, where `db` stands in for it. */
export function clientOf(db: Db): Db {
  return enclosed.get(db)?.client ?? db;
}

/** A part of a transaction: where it fails, nobody is called back for it. */
function part<T>(within: Within, work: (tx: Tx) => Promise<T>): Promise<T> {
  return retryConflicts(() =>
    within(async (tx) => {
      const callbacks = afterwards.get(tx) ?? [];
      const before = callbacks.length;
      try {
        return await work(tx);
      } catch (error) {
        callbacks.length = before;
        throw error;
      }
    }),
  );
}

/**
 * Does the work as a whole or not at all; again where it gave way to another in a deadlock.
 * @param options.again whether it can be done again
 */
export async function transaction<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  { again = true } = {},
): Promise<T> {
  const around = enclosed.get(db);
  if (around) return part(around.within, work);
  let callbacks: (() => void)[] = [];
  const attempt = again ? retryConflicts : <R>(write: () => PromiseLike<R>) => write();
  const result = await attempt(() =>
    directTransaction(
      db,
      (tx) => {
        callbacks = [];
        afterwards.set(tx, callbacks);
        if (isSqlite(db)) markSqlite(tx);
        return work(tx);
      },
      LIMITS,
    ),
  );
  for (const callback of callbacks) callback();
  return result;
}

/** Calls back when the transaction is committed, and not where it is rolled back. */
export function whenCommitted(tx: Tx, callback: () => void): void {
  afterwards.get(tx)?.push(callback);
}

/**
 * Has others who would change the row wait until the transaction ends, so that what is read from now on stays true. On SQLite
 * they wait from its beginning on.
 * @param deleting whether nobody may come to refer to the row either
 */
export async function lockRow(
  tx: Tx,
  table: 'Account' | 'Link' | 'Space' | 'Domain' | 'Pixel' | 'Webhook',
  id: number,
  { deleting = false } = {},
): Promise<void> {
  if (!isSqlite(tx))
    await readRows(
      tx,
      sql`SELECT 1 FROM ${name(table)} WHERE "id" = ${id} FOR ${Prisma.raw(deleting ? 'UPDATE' : 'NO KEY UPDATE')}`,
    );
}

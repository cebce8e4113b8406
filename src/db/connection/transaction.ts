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

/** Does the work as a whole or not at all; again where it gave way to another in a deadlock. */
export async function transaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  let callbacks: (() => void)[] = [];
  const result = await retryConflicts(() =>
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

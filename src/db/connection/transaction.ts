import { type Db, type Handle, handleOf, type Tx } from './db.ts';
import { dialectOf } from './dialect.ts';
import { directTransaction, readRows } from './raw-reads.ts';
import { retryConflicts } from './retry.ts';
import { name, raw, sql } from './sql.ts';

/** How long a transaction waits for a connection, and how long it may take, in milliseconds. */
const LIMITS = { maxWait: 5_000, timeout: 30_000 };

/** The client itself, if `db` is a proxy of it. */
export function clientOf(db: Db): Db {
  return handleOf(db).enclosing?.client ?? db;
}

/** A part of a transaction: if it fails, its callbacks are dropped. */
function nested<T>(enclosing: NonNullable<Handle['enclosing']>, work: (tx: Tx) => Promise<T>): Promise<T> {
  return retryConflicts(() =>
    enclosing.nested(async (tx) => {
      const { afterCommit: callbacks = [] } = handleOf(tx);
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
 * Runs the work in a transaction, and repeats it after a deadlock.
 * @param options.retries whether it may be repeated
 */
export async function transaction<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  { retries = true } = {},
): Promise<T> {
  const { enclosing } = handleOf(db);
  if (enclosing) return nested(enclosing, work);
  let callbacks: readonly (() => void)[] = [];
  const attempt = retries ? retryConflicts : <R>(write: () => PromiseLike<R>) => write();
  const result = await attempt(() =>
    directTransaction(
      db,
      (tx) => {
        callbacks = handleOf(tx).afterCommit ?? [];
        return work(tx);
      },
      LIMITS,
    ),
  );
  for (const callback of callbacks) callback();
  return result;
}

/** Calls back after the commit of the transaction, but not after a rollback. */
export function whenCommitted(tx: Tx, callback: () => void): void {
  handleOf(tx).afterCommit?.push(callback);
}

/**
 * Locks the row until the transaction ends, so that what is read from now on stays true.
 * @param deleting whether new references to the row are prevented, too
 */
export async function lockRow(
  tx: Tx,
  table: 'Account' | 'Link' | 'Space' | 'Domain' | 'Pixel' | 'Webhook',
  id: number,
  { deleting = false } = {},
): Promise<void> {
  if (dialectOf(tx).hasConcurrentWriters)
    await readRows(
      tx,
      sql`SELECT 1 FROM ${name(table)} WHERE "id" = ${id} FOR ${raw(deleting ? 'UPDATE' : 'NO KEY UPDATE')}`,
    );
}

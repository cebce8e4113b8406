import { type Db, isSqlite, markSqlite, type Tx } from './db.ts';
import { directTransaction, readRows } from './direct.ts';
import { retryConflicts } from './retry.ts';
import { name, raw, sql } from './sql.ts';

/** How long a transaction waits for a connection, and how long it may take, in milliseconds. */
const LIMITS = { maxWait: 5_000, timeout: 30_000 };

/** Callbacks for after the commit of a transaction. */
const afterwards = new WeakMap<Tx, (() => void)[]>();

/** Runs work within an enclosing transaction. */
type Within = <T>(work: (tx: Tx) => Promise<T>) => Promise<T>;

const enclosed = new WeakMap<Db, { client: Db; within: Within }>();

/** Makes the transactions of `db`, a proxy of the client, savepoints of one transaction. */
export function nested(db: Db, client: Db, within: Within): void {
  enclosed.set(db, { client, within });
  if (isSqlite(client)) markSqlite(db);
}

/** Whether transactions of `db` are parts of one that encloses them. */
export function isEnclosed(db: Db): boolean {
  return enclosed.has(db);
}

/** The client itself, if `db` is a proxy of it. */
export function clientOf(db: Db): Db {
  return enclosed.get(db)?.client ?? db;
}

/** A part of a transaction: if it fails, its callbacks are dropped. */
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
 * Runs the work in a transaction, and repeats it after a deadlock.
 * @param options.again whether it may be repeated
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

/** Calls back after the commit of the transaction, but not after a rollback. */
export function whenCommitted(tx: Tx, callback: () => void): void {
  afterwards.get(tx)?.push(callback);
}

/**
 * Locks the row until the transaction ends, so that what is read from now on stays true. On SQLite, a transaction locks
 * everything from its beginning.
 * @param deleting whether new references to the row are prevented, too
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
      sql`SELECT 1 FROM ${name(table)} WHERE "id" = ${id} FOR ${raw(deleting ? 'UPDATE' : 'NO KEY UPDATE')}`,
    );
}

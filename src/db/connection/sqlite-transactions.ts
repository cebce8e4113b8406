import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { isBlocked, nextSlice } from '../../shared/time-slices.ts';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import { currentTransaction } from './raw-reads.ts';
import type { ReadsRaw } from './raw-source.ts';
import { driverOf, type Statement } from './sqlite-driver.ts';
import { whenUnlocked } from './sqlite-locks.ts';
import type { rawReader } from './sqlite-statements.ts';

/** After how long a transaction that seems to wait for itself is ended, in milliseconds: longer than any other takes. */
const DEADLOCK_TIMEOUT = 5_000;

const noOp: Statement = {
  reader: false,
  bind: () => noOp,
  run: () => undefined,
  columns: () => [],
  safeIntegers: () => noOp,
  raw: () => noOp,
  all: () => [],
};

/**
 * Isolates transactions from other statements. A process has one connection to SQLite, and Prisma's adapter sends a
 * statement at once even if a transaction is open: the statement would see uncommitted data, and its own changes could be
 * rolled back with the transaction after they were reported as done.
 */
export function isolateTransactions(
  adapter: SqlDriverAdapter,
  readRaw: ReturnType<typeof rawReader>,
  deadlockTimeout = DEADLOCK_TIMEOUT,
): SqlDriverAdapter & ReadsRaw {
  /** Resolves when the transaction that is open, or about to begin, has ended. */
  let open: Promise<void> | null = null;
  let current: object | null = null;
  const { queryRaw, executeRaw, startTransaction } = adapter;

  // `run` starts in the tick in which no transaction is open. Raw reads also wait while the thread was blocked for long, so
  // that other work runs between those of many callers.
  const outsideTransactions = async <T>(run: () => Promise<T>, mustPause = () => false): Promise<T> => {
    while (open || mustPause()) {
      // Either the transaction waits for itself, or this is another caller's look-up: Prisma sends those of one tick together,
      // in the context of the first.
      const isOwn = open !== null && current !== null && currentTransaction() === current;
      if (!isOwn) await (open ?? nextSlice());
      else if (open !== null && (await withTimeout(deadlockTimeout, open)) === TIMED_OUT)
        throw new Error('a query within a transaction did not use the client of the transaction');
    }
    return run();
  };
  adapter.queryRaw = (query) => whenUnlocked(() => outsideTransactions(() => queryRaw.call(adapter, query)));
  adapter.executeRaw = (query) =>
    whenUnlocked(() => outsideTransactions(() => executeRaw.call(adapter, query)));
  const begin: typeof startTransaction = async (isolationLevel) => {
    let end = () => {};
    open = new Promise((resolve) => {
      end = () => {
        // After a COMMIT that fails, such as for want of space, SQLite keeps the transaction open: later writes would be part
        // of it, and get lost.
        if (driver.inTransaction) rollBack.run();
        open = null;
        current = null;
        resolve();
      };
    });
    try {
      const transaction = await startTransaction.call(adapter, isolationLevel);
      current = transaction;
      const { commit, rollback } = transaction;
      transaction.commit = () => commit.call(transaction).finally(end);
      transaction.rollback = () => rollback.call(transaction).finally(end);
      return transaction;
    } catch (error) {
      end();
      throw error;
    }
  };
  // All our transactions write: one that locks the file later could fail because its reads are outdated. It begins here, with
  // retries that let other work run in between; the adapter would keep its own lock after a failed BEGIN.
  const driver = driverOf(adapter);
  const prepare = driver.prepare.bind(driver);
  driver.prepare = (sql) => (sql === 'BEGIN' ? noOp : prepare(sql));
  const beginNow = prepare('BEGIN IMMEDIATE');
  const rollBack = prepare('ROLLBACK');
  adapter.startTransaction = (isolationLevel) =>
    whenUnlocked(() =>
      outsideTransactions(async () => {
        beginNow.run();
        return begin(isolationLevel);
      }),
    );
  return Object.assign(adapter, {
    readRaw: (sql: string, args: readonly unknown[]) =>
      whenUnlocked(() => outsideTransactions(async () => readRaw(sql, args), isBlocked)),
  });
}

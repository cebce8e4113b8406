import type { SqlDriverAdapter, Transaction } from '@prisma/driver-adapter-utils';
import { currentTransaction, type Source } from './direct.ts';
import { driverOf, type Statement } from './sqlite-driver.ts';
import { whenUnlocked } from './sqlite-locks.ts';
import type { ReadsRaw, rawReader } from './sqlite-statements.ts';

/** A statement that does nothing. */
const nothing: Statement = {
  reader: false,
  bind: () => nothing,
  run: () => undefined,
  columns: () => [],
  safeIntegers: () => nothing,
  raw: () => nothing,
  all: () => [],
};

/**
 * Lets nobody into another's transaction. All of a process shares one connection to SQLite, and Prisma's adapter sends a
 * statement at once even where a transaction is open: it would see what is not committed yet, and what it wrote would be
 * rolled back with the rest after it was said to be done.
 */
export function keepsTransactionsApart(
  adapter: SqlDriverAdapter,
  readRaw: ReturnType<typeof rawReader>,
): SqlDriverAdapter & ReadsRaw {
  /** Ends with the transaction that is open, or about to begin. */
  let open: Promise<void> | null = null;
  let current: Source | null = null;
  const { queryRaw, executeRaw, startTransaction } = adapter;

  // What it runs begins in the same step in which nothing was open any more.
  const alone = async <T>(run: () => Promise<T>): Promise<T> => {
    while (open) {
      // It would wait for itself.
      if (current !== null && currentTransaction() === current)
        throw new Error('the work of a transaction asks past it: it has to use its own client');
      await open;
    }
    return run();
  };
  adapter.queryRaw = (query) => whenUnlocked(() => alone(() => queryRaw.call(adapter, query)));
  adapter.executeRaw = (query) => whenUnlocked(() => alone(() => executeRaw.call(adapter, query)));
  const begin: typeof startTransaction = async (isolationLevel) => {
    let end = () => {};
    open = new Promise((resolve) => {
      end = () => {
        open = null;
        current = null;
        resolve();
      };
    });
    try {
      const transaction: Transaction & Source = await startTransaction.call(adapter, isolationLevel);
      current = transaction;
      transaction.readRaw = async (sql, args) => readRaw(sql, args);
      const { commit, rollback } = transaction;
      transaction.commit = () => commit.call(transaction).finally(end);
      transaction.rollback = () => rollback.call(transaction).finally(end);
      return transaction;
    } catch (error) {
      end();
      throw error;
    }
  };
  // Our transactions all write: one that took the lock only later could be refused it for what it has read. It is begun
  // here, again and again, with turns for others between; the adapter would keep its own lock where that fails.
  const driver = driverOf(adapter);
  const prepare = driver.prepare.bind(driver);
  driver.prepare = (sql) => (sql === 'BEGIN' ? nothing : prepare(sql));
  adapter.startTransaction = (isolationLevel) =>
    whenUnlocked(() =>
      alone(async () => {
        prepare('BEGIN IMMEDIATE').run();
        return begin(isolationLevel);
      }),
    );
  return Object.assign(adapter, {
    readRaw: (sql: string, args: readonly unknown[]) =>
      whenUnlocked(() => alone(async () => readRaw(sql, args))),
  });
}

// Notes which transaction of a driver adapter belongs to the code that runs. Prisma's client begins transactions, but does not
// say which of the adapter's it has begun. Reads of our own in a transaction need to know it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlDriverAdapter, SqlDriverAdapterFactory, Transaction } from '@prisma/driver-adapter-utils';

/** The transaction of the code that runs; it has none until Prisma's client has begun it. */
export interface Begun {
  transaction?: Transaction;
}

export class BegunTransactions {
  readonly #current = new AsyncLocalStorage<Begun>();
  #disposal: Promise<void> | undefined;

  /** Runs work that begins a transaction, which `begun` then has. */
  run<T>(begun: Begun, work: () => T): T {
    return this.#current.run(begun, work);
  }

  /** True if the calling code runs in the transaction. */
  isOwn(transaction: Transaction): boolean {
    return this.#current.getStore()?.transaction === transaction;
  }

  /** Closes the adapter's connections. Prisma's client does so, but only if it has connected. */
  dispose(adapter: SqlDriverAdapter): Promise<void> {
    this.#disposal ??= adapter.dispose();
    return this.#disposal;
  }

  /** Returns what Prisma's client takes for the adapter. */
  noting(adapter: SqlDriverAdapter): SqlDriverAdapterFactory {
    const { provider, adapterName } = adapter;
    const noting: SqlDriverAdapter = {
      provider,
      adapterName,
      getConnectionInfo: adapter.getConnectionInfo?.bind(adapter),
      queryRaw: (query) => adapter.queryRaw(query),
      executeRaw: (query) => adapter.executeRaw(query),
      executeScript: (script) => adapter.executeScript(script),
      dispose: () => this.dispose(adapter),
      startTransaction: async (isolationLevel) => {
        const transaction = await adapter.startTransaction(isolationLevel);
        const begun = this.#current.getStore();
        if (begun !== undefined) begun.transaction = transaction;
        return transaction;
      },
    };
    return { provider, adapterName, connect: async () => noting };
  }
}

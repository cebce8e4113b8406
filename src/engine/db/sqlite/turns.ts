// Decides when a statement runs on SQLite, and on which connection. Prisma's client has one connection for writes: a statement
// that ran there during another's transaction would see its uncommitted changes, and be rolled back with it. So reads then use
// a second connection (without one, they wait), and writes wait for the end of the transaction. While a thread writes on its
// own connection, other writes wait, and reads do not. A query that waits for the transaction in which it runs fails after a
// time.
import type { Transaction } from '@prisma/driver-adapter-utils';
import { isBlocked, nextSlice } from '../../tools/time-slices.ts';
import { TIMED_OUT, withTimeout } from '../../tools/timeout.ts';
import { isLocked } from '../errors.ts';
import type { FileConnection } from './file-connection.ts';
import { whenUnlocked } from './locked.ts';
import type { WriteGuard } from './write-guard.ts';

/** The writer that holds others back. */
interface Holder {
  readonly ended: PromiseWithResolvers<void>;
  /** The open transaction; null if a thread writes, on a connection of its own. */
  readonly transaction: Transaction | null;
}

export interface TurnsOptions {
  /** The connection that writes. */
  readonly own: FileConnection;
  /** The connection that reads during a transaction; null if there is none, so that reads wait. */
  readonly beside: FileConnection | null;
  /** Refuses writes; null for a database in memory. */
  readonly guard: WriteGuard | null;
  /** Returns true if the calling code runs in the transaction. */
  isOwn(transaction: Transaction): boolean;
  /** After how many milliseconds a transaction that waits for itself is ended. */
  readonly deadlockTimeout: number;
}

/** Options of a statement. */
export interface TurnOptions {
  /** True if it waits while the thread is blocked for long, so that other work runs between the statements of many callers. */
  readonly yields?: boolean;
}

/** All of its statements start in the tick in which their connection is free, and are repeated while the file is locked. */
export class FileTurns {
  readonly #options: TurnsOptions;
  #holder: Holder | null = null;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** @param run reads on the connection that it gets */
  async read<T>(run: (from: FileConnection) => T, { yields = false }: TurnOptions = {}): Promise<T> {
    // Most reads need not wait.
    const from = yields && isBlocked() ? null : this.#readable();
    if (from === null) return whenUnlocked(() => this.#readInTurn(run, yields));
    try {
      return run(from);
    } catch (error) {
      if (!isLocked(error)) throw error;
      return whenUnlocked(() => this.#readInTurn(run, yields));
    }
  }

  /** Runs a statement that writes. @throws Error if the file is not the one any more that was opened */
  write<T>(run: (to: FileConnection) => T, options?: TurnOptions): Promise<T> {
    return this.begin((to) => this.written(run(to)), options);
  }

  /** Runs a thread's write, on a connection of its own. It holds other writes back until it has ended. */
  writeElsewhere<T>(write: () => Promise<T>): Promise<T> {
    return this.begin(async () => {
      const release = this.hold(null);
      try {
        return this.written(await write());
      } finally {
        release();
      }
    });
  }

  /** Begins what writes. It may go on after its first step: it then has to hold others back. */
  begin<T>(run: (to: FileConnection) => T | Promise<T>, { yields = false }: TurnOptions = {}): Promise<T> {
    return whenUnlocked(() => this.#writeInTurn(run, yields));
  }

  /** Returns the result of a write. @throws Error if it was lost, since the file is not the one any more that was opened */
  written<T>(result: T): T {
    this.#options.guard?.requireOpened();
    return result;
  }

  /**
   * Holds others back until the returned function is called.
   * @param transaction null for a thread
   */
  hold(transaction: Transaction | null): () => void {
    const ended = Promise.withResolvers<void>();
    this.#holder = { ended, transaction };
    return () => {
      this.#holder = null;
      ended.resolve();
    };
  }

  /** Returns the connection that may read now; null if none may. */
  #readable(): FileConnection | null {
    const { own, beside, isOwn } = this.#options;
    const holder = this.#holder;
    if (holder === null) return own;
    // Nothing that a thread has not committed is visible here.
    if (holder.transaction === null) return beside && own;
    return isOwn(holder.transaction) ? null : beside;
  }

  async #readInTurn<T>(run: (from: FileConnection) => T, yields: boolean): Promise<T> {
    for (;;) {
      const from = this.#readable();
      if (from === null) await this.#untilEnded();
      else if (yields && isBlocked()) await nextSlice();
      else return run(from);
    }
  }

  async #writeInTurn<T>(run: (to: FileConnection) => T | Promise<T>, yields: boolean): Promise<T> {
    const { own, guard } = this.#options;
    for (;;) {
      if (this.#holder !== null) await this.#untilEnded();
      else if (yields && isBlocked()) await nextSlice();
      else if (guard === null || guard.mayBegin()) return run(own);
      else {
        await guard.makeRoom();
        if (this.#holder === null) return run(own);
      }
    }
  }

  /** @throws Error if a transaction seems to wait for itself */
  async #untilEnded(): Promise<void> {
    if (this.#holder === null) return;
    const { ended, transaction } = this.#holder;
    const { isOwn, deadlockTimeout } = this.#options;
    // Code in the transaction may also do the look-up of another caller: Prisma sends those of one tick together, in the context
    // of the first.
    if (transaction === null || !isOwn(transaction)) return ended.promise;
    if ((await withTimeout(deadlockTimeout, ended.promise)) === TIMED_OUT)
      throw new Error('a query within a transaction did not use the client of the transaction');
  }
}

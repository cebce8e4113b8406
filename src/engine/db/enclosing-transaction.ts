import { pauseIfBlocked } from '../tools/time-slices.ts';
import { LongReadQueue } from './account-shares.ts';
import type { Data, Database, Transaction } from './database.ts';
import type { Dialect } from './dialect.ts';
import type { Times } from './driver.ts';
import type { AnyClient, ClientOf } from './product.ts';
import type { Sql } from './sql.ts';

/** Limits in milliseconds, so that others do not wait for long. */
export interface DurationLimit {
  /**
   * Milliseconds after its begin in which changes are accepted: by default 1,000 for SQLite's only writer, else 10,000.
   */
  readonly maxDuration?: number;
  /** Milliseconds for which it waits for the next change or the end before it rolls all changes back. */
  readonly maxWait: number;
  /** The error for further changes. */
  error(): Error;
}

/** The reason of a rollback without an error. */
class RolledBack extends Error {}

/**
 * One transaction around several: changes are committed only by `commit`. It begins with the first transaction, so that slow
 * work before it, such as hashing a password, blocks nobody. After that, reads are in it, and see its changes. Changes must be
 * made one after the other.
 */
export class EnclosingTransaction<Client extends ClientOf<Client> = AnyClient> implements Data<Client> {
  readonly database: Database<Client>;
  readonly dialect: Dialect;
  readonly spendRows = null;
  readonly #accountId: number;
  readonly #first: (tx: Transaction<Client>) => Promise<void>;
  readonly #limit: DurationLimit;
  readonly #outcome = Promise.withResolvers<void>();
  #opening: Promise<Transaction<Client>> | null = null;
  #tx: Transaction<Client> | null = null;
  #ended: Promise<void> = Promise.resolve();
  #openedAt: number | null = null;
  #waiting: NodeJS.Timeout | undefined;
  #expired = false;

  /**
   * @param accountId the account, which takes turns with others
   * @param first what the transaction does first; if it throws, nothing can be changed
   */
  constructor(
    database: Database<Client>,
    accountId: number,
    first: (tx: Transaction<Client>) => Promise<void>,
    limit: DurationLimit,
  ) {
    this.database = database;
    this.#accountId = accountId;
    this.dialect = database.dialect;
    this.#first = first;
    this.#limit = limit;
    this.#outcome.promise.catch(() => {}); // The transaction handles the rejection, if there is one.
  }

  get #current(): Data<Client> {
    return this.#tx ?? this.database;
  }

  get prisma(): Client {
    return this.#current.prisma;
  }

  get long(): Data<Client> {
    return this.#tx ? this : this.database.long;
  }

  get separate(): Data<Client> | null {
    return this.isOpen ? null : this.database;
  }

  get longReads(): LongReadQueue {
    return new LongReadQueue();
  }

  async read<Row>(statement: Sql, times?: Times): Promise<Row[]> {
    // On SQLite, the reads of an answer would block the thread together.
    if (this.#tx) await pauseIfBlocked();
    return this.#current.read(statement, times);
  }

  execute(statement: Sql): Promise<number> {
    return this.#current.execute(statement);
  }

  /** True if a change was made, so that the transaction has begun. */
  get isOpen(): boolean {
    return this.#opening !== null;
  }

  /** Milliseconds since the transaction began; 0 if nothing was changed. */
  get #openFor(): number {
    return this.#openedAt === null ? 0 : performance.now() - this.#openedAt;
  }

  #open(): Promise<Transaction<Client>> {
    const opened = Promise.withResolvers<Transaction<Client>>();
    this.#ended = this.#run(opened);
    this.#ended.catch(opened.reject);
    return opened.promise;
  }

  async #run(opened: PromiseWithResolvers<Transaction<Client>>): Promise<void> {
    const work = async (tx: Transaction<Client>): Promise<void> => {
      this.#openedAt = performance.now();
      await this.#first(tx);
      this.#tx = tx;
      opened.resolve(tx);
      await this.#outcome.promise;
    };
    const { turns } = this.database.keyedWrites;
    await turns.take(this.#accountId, () => this.database.transaction(work, { retries: false }));
  }

  async transaction<T>(work: (tx: Transaction<Client>) => Promise<T>): Promise<T> {
    const { maxDuration = this.dialect.hasConcurrentWriters ? 10_000 : 1_000 } = this.#limit;
    if (this.#expired || this.#openFor > maxDuration) throw this.#limit.error();
    clearTimeout(this.#waiting);
    this.#opening ??= this.#open();
    const tx = await this.#opening;
    // On SQLite, the statements of many changes would block the thread together.
    await pauseIfBlocked();
    try {
      return await tx.transaction(work);
    } finally {
      this.#waiting = setTimeout(() => this.#expire(), this.#limit.maxWait);
    }
  }

  progressed(): void {}

  #expire(): void {
    this.#expired = true;
    this.#outcome.reject(new RolledBack());
    this.#tx = null;
  }

  /** Ends the waiting for changes. @throws the limit's error if it took too long, and all changes are rolled back */
  endWait(): void {
    if (this.#expired) throw this.#limit.error();
    clearTimeout(this.#waiting);
  }

  async commit(): Promise<void> {
    this.endWait();
    this.#outcome.resolve();
    await this.#ended.finally(() => {
      this.#tx = null;
    });
  }

  /** Rolls all changes back; does nothing after a commit. */
  async rollBack(): Promise<void> {
    clearTimeout(this.#waiting);
    this.#outcome.reject(new RolledBack());
    // Whatever the error, the transaction has ended.
    await this.#ended.catch(() => {});
    this.#tx = null;
  }
}

import { pauseIfBlocked } from '../../shared/time-slices.ts';
import { Turns } from '../../shared/turns.ts';
import { type Db, handleOf, setHandle, type Tx } from './db.ts';
import { dialectOf } from './dialect.ts';
import { DatabaseAway } from './errors.ts';
import { transaction } from './transaction.ts';

/** How many of these transactions a process has open at once: each occupies a connection, or SQLite's only writer. */
const MAX_OPEN = 3;
/** How long a further one waits, in milliseconds. */
const TURN_TIMEOUT = 5_000;

const turnsOf = new WeakMap<Db, Turns>();

/** Limits in milliseconds, so that others do not wait for long. */
export interface DurationLimit {
  /** How long after its begin changes are accepted; by default a second for SQLite's only writer, else ten. */
  readonly maxDuration?: number;
  /** How long it waits for the next change or the end before it rolls all changes back. */
  readonly maxWait: number;
  /** The error for further changes. */
  error(): Error;
}

/** The reason of a rollback without an error. */
class RolledBack extends Error {}

/**
 * One transaction around several: changes through `db` are committed only by `commit`. It begins with the first
 * change, so that slow work before it, such as hashing a password, blocks nobody. After that, `db` reads in the transaction,
 * and sees its changes.
 */
export class EnclosingTransaction {
  /** Replaces the client for one execution; changes must be made one after the other. */
  readonly db: Db;
  readonly #client: Db;
  readonly #first: (tx: Tx) => Promise<void>;
  readonly #limit: DurationLimit;
  readonly #outcome = Promise.withResolvers<void>();
  #opening: Promise<Tx> | null = null;
  #tx: Tx | null = null;
  #ended: Promise<void> = Promise.resolve();
  #openedAt: number | null = null;
  #waiting: NodeJS.Timeout | undefined;
  #expired = false;

  /**
   * @param first what the transaction does first; if it throws, nothing can be changed
   */
  constructor(client: Db, first: (tx: Tx) => Promise<void>, limit: DurationLimit) {
    this.#client = client;
    this.#first = first;
    this.#limit = limit;
    this.db = new Proxy(client, { get: (_target, property) => this.#get(property) });
    const current = () => this.#tx ?? client;
    setHandle(this.db, {
      get source() {
        return handleOf(current()).source;
      },
      onStatement: handleOf(client).onStatement,
      enclosing: { client, nested: (work) => this.#nested(work) },
    });
    this.#outcome.promise.catch(() => {}); // The transaction handles the rejection, if there is one.
  }

  /** Whether a change was made, and so the transaction has begun. */
  get isOpen(): boolean {
    return this.#opening !== null;
  }

  /** How long the transaction has been open, in milliseconds; 0 if nothing was changed. */
  get #openFor(): number {
    return this.#openedAt === null ? 0 : performance.now() - this.#openedAt;
  }

  #get(property: string | symbol): unknown {
    const from = this.#tx ?? this.#client;
    const value: unknown = Reflect.get(from, property);
    return typeof value === 'function' ? value.bind(from) : value;
  }

  #open(): Promise<Tx> {
    const opened = Promise.withResolvers<Tx>();
    this.#ended = this.#run(opened);
    this.#ended.catch(opened.reject);
    return opened.promise;
  }

  async #run(opened: PromiseWithResolvers<Tx>): Promise<void> {
    const turns =
      turnsOf.get(this.#client) ??
      new Turns({
        max: MAX_OPEN,
        timeout: TURN_TIMEOUT,
        refusal: () => new DatabaseAway('too many writes with a key are being done'),
      });
    turnsOf.set(this.#client, turns);
    const work = async (tx: Tx): Promise<void> => {
      this.#openedAt = performance.now();
      await this.#first(tx);
      this.#tx = tx;
      opened.resolve(tx);
      await this.#outcome.promise;
    };
    await turns.take('', () => transaction(this.#client, work, { retries: false }));
  }

  async #nested<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const { maxDuration = dialectOf(this.#client).hasConcurrentWriters ? 10_000 : 1_000 } = this.#limit;
    if (this.#expired || this.#openFor > maxDuration) throw this.#limit.error();
    clearTimeout(this.#waiting);
    this.#opening ??= this.#open();
    const tx = await this.#opening;
    // On SQLite, the statements of many changes would block the thread together.
    await pauseIfBlocked();
    try {
      return await tx.$transaction((part) => {
        setHandle(part, handleOf(tx));
        return work(part);
      });
    } finally {
      this.#waiting = setTimeout(() => this.#expire(), this.#limit.maxWait);
    }
  }

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

const ATTEMPT: DurationLimit = {
  maxDuration: 10_000,
  maxWait: 10_000,
  error: () => new Error('the attempt takes too long'),
};

/** Does the work in a transaction that is rolled back. @throws what the work throws */
export async function tryOut(client: Db, work: (db: Db) => Promise<unknown>): Promise<void> {
  const enclosing = new EnclosingTransaction(client, async () => {}, ATTEMPT);
  await work(enclosing.db).finally(() => enclosing.rollBack());
}

import type { Db } from './client.ts';
import { standIn } from './direct.ts';
import { nested, type Tx, transaction } from './transaction.ts';

/** A promise, and what settles it. */
function deferred<T>(): { promise: Promise<T>; resolve(value: T): void; reject(error: unknown): void } {
  let settle: { resolve(value: T): void; reject(error: unknown): void } | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // A promise calls what it is given at once.
  return { promise, resolve: (value) => settle?.resolve(value), reject: (error) => settle?.reject(error) };
}

/** Why a transaction is rolled back that nothing is wrong with. */
class GivenUp extends Error {}

/**
 * One transaction around several: what is changed through `db` is committed by `commit`, or never. It begins with the first
 * change, so that what takes long before, such as a password's hash, keeps nobody waiting. From then on `db` reads in it, and
 * sees what it has changed.
 */
export class Enclosing {
  /** In place of the client, for one execution; changes are made one after the other. */
  readonly db: Db;
  readonly #client: Db;
  readonly #first: (tx: Tx) => Promise<void>;
  readonly #outcome = deferred<void>();
  #opening: Promise<Tx> | null = null;
  #tx: Tx | null = null;
  #ended: Promise<void> = Promise.resolve();

  /** @param first what the transaction does before all else; where it throws, nothing can be changed */
  constructor(client: Db, first: (tx: Tx) => Promise<void>) {
    this.#client = client;
    this.#first = first;
    this.db = new Proxy(client, { get: (_target, property) => this.#get(property) });
    nested(this.db, client, (work) => this.#within(work));
    standIn(this.db, () => this.#tx ?? client);
    this.#outcome.promise.catch(() => {}); // Heard by the transaction, where there is one.
  }

  /** The transaction; null where nothing was changed. */
  get tx(): Tx | null {
    return this.#tx;
  }

  #get(property: string | symbol): unknown {
    const from = this.#tx ?? this.#client;
    const value: unknown = Reflect.get(from, property);
    return typeof value === 'function' ? value.bind(from) : value;
  }

  #open(): Promise<Tx> {
    const opened = deferred<Tx>();
    this.#ended = transaction(
      this.#client,
      async (tx) => {
        await this.#first(tx);
        this.#tx = tx;
        opened.resolve(tx);
        await this.#outcome.promise;
      },
      { again: false },
    );
    this.#ended.catch(opened.reject);
    return opened.promise;
  }

  async #within<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    this.#opening ??= this.#open();
    const tx = await this.#opening;
    await tx.$executeRawUnsafe('SAVEPOINT "part"');
    try {
      const result = await work(tx);
      await tx.$executeRawUnsafe('RELEASE SAVEPOINT "part"');
      return result;
    } catch (error) {
      await tx.$executeRawUnsafe('ROLLBACK TO SAVEPOINT "part"');
      throw error;
    }
  }

  /** Makes all changes lasting. */
  async commit(): Promise<void> {
    this.#outcome.resolve();
    await this.#ended.finally(() => {
      this.#tx = null;
    });
  }

  /** Undoes all changes; where they are lasting, does nothing. */
  async rollBack(): Promise<void> {
    this.#outcome.reject(new GivenUp());
    // Whatever ended it, nothing of it is there.
    await this.#ended.catch(() => {});
    this.#tx = null;
  }
}

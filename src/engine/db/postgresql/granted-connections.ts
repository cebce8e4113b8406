import type { Client, Pool, PoolClient } from 'pg';
import { isRefusedConnect } from '../errors.ts';

/** Milliseconds between two attempts to get one more connection than the server granted. */
const GROWTH_INTERVAL = 10_000;
/** The pause between two attempts while the pool has no connection at all, in milliseconds. */
const PAUSE = 250;
/** Milliseconds for which a request waits for a connection of a pool without a timeout. */
const UNLIMITED_WAIT = 5_000;

type Callback = Parameters<Pool['connect']>[0];
type Connected = (error: Error | null, client?: Client) => void;

export interface GrantOptions {
  readonly growthInterval?: number | undefined;
  /** Called with each new size of the pool, and the server's refusal if it shrank. */
  onPoolSize?: ((size: number, refusal?: Error) => void) | undefined;
}

/**
 * Shrinks a pool to the connections that the server grants: a role, a database or the server may have fewer left than the pool
 * wants. Requests then wait for a free connection instead of failing with the refused one.
 */
export class GrantedConnections {
  readonly #options: GrantOptions;
  #pool: Pool | undefined;
  /** Number of connections that the pool may have by its configuration, and number that it got at the last attempt. */
  #wanted = 0;
  #size = 0;
  #connecting = 0;
  #told = 0;
  #refusal: Error | undefined;
  /** Called with each new size, before others are told. */
  #resize: (size: number) => void = () => {};
  /** The time of performance.now() from which a pool without any connection asks again. */
  #asksFrom = 0;
  #growth: NodeJS.Timeout | undefined;

  constructor(options: GrantOptions) {
    this.#options = options;
  }

  /** A class of clients that tell of refusals before the pool tries the next connection. */
  clientOf(Class: typeof Client): typeof Client {
    const begin = (connect: () => void) => this.#begin(connect);
    const ended = (error: Error | null) => this.#ended(error);
    return class extends Class {
      override connect(): Promise<Client>;
      override connect(callback: Connected): void;
      override connect(callback?: Connected): Promise<Client> | undefined {
        if (callback === undefined) return super.connect();
        begin(() =>
          super.connect((error: Error | null) => {
            ended(error);
            callback(error, this);
          }),
        );
        return undefined;
      }
    };
  }

  /** Has the requests of the pool wait after a refusal. @param resize called with each new size of the pool */
  watch(pool: Pool, resize: (size: number) => void): void {
    this.#pool = pool;
    this.#wanted = pool.options.max;
    this.#size = this.#wanted;
    this.#told = this.#wanted;
    this.#resize = resize;
    const connectNow = pool.connect.bind(pool);
    const wait = pool.options.connectionTimeoutMillis || UNLIMITED_WAIT;
    const again = async (refusal: unknown, deadline = performance.now() + wait): Promise<PoolClient> => {
      if (!isRefusedConnect(refusal) || performance.now() > deadline) throw refusal;
      return connectNow().catch((error: unknown) => again(error, deadline));
    };
    function connect(): Promise<PoolClient>;
    function connect(callback: Callback): void;
    function connect(callback?: Callback): Promise<PoolClient> | undefined {
      if (callback === undefined) return connectNow().catch((error: unknown) => again(error));
      connectNow((refusal, client, done) => {
        if (refusal === undefined || !isRefusedConnect(refusal)) return callback(refusal, client, done);
        again(refusal).then(
          (other) => callback(undefined, other, other.release),
          (error) => callback(error, undefined, () => {}),
        );
      });
      return undefined;
    }
    pool.connect = connect;
    this.#tryOneMore = () => {
      if (pool.ending) return this.#settle();
      if (pool.totalCount < pool.options.max) return;
      pool.options.max++;
      // No request depends on it.
      connectNow().then(
        (client) => client.release(),
        () => {},
      );
    };
  }

  #tryOneMore = () => {};

  #begin(connect: () => void): void {
    this.#connecting++;
    const pause = this.#asksFrom - performance.now();
    if (pause > 0) setTimeout(connect, pause);
    else connect();
  }

  #ended(error: Error | null): void {
    const pool = this.#pool;
    if (pool === undefined) return;
    // The pool still counts a client that failed.
    const others = pool.totalCount - this.#connecting;
    this.#connecting--;
    if (error === null) this.#granted(others + 1);
    else if (isRefusedConnect(error)) this.#refused(others, error);
    else pool.options.max = this.#size;
    if (this.#connecting === 0) this.#tell();
  }

  #refused(granted: number, error: Error): void {
    this.#refusal = error;
    if (granted === 0) this.#asksFrom = performance.now() + PAUSE;
    this.#growth ??= setInterval(
      () => this.#tryOneMore(),
      this.#options.growthInterval ?? GROWTH_INTERVAL,
    ).unref();
    this.#setSize(Math.max(1, granted));
  }

  #granted(granted: number): void {
    this.#asksFrom = 0;
    if (granted > this.#size) this.#setSize(granted);
    if (this.#size === this.#wanted) this.#settle();
  }

  #setSize(size: number): void {
    if (this.#pool) this.#pool.options.max = size;
    if (size === this.#size) return;
    this.#size = size;
    this.#resize(size);
  }

  #tell(): void {
    if (this.#size === this.#told) return;
    this.#told = this.#size;
    this.#options.onPoolSize?.(this.#size, this.#refusal);
    this.#refusal = undefined;
  }

  #settle(): void {
    clearInterval(this.#growth);
    this.#growth = undefined;
  }
}

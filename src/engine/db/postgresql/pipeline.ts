import type { Pool, QueryArrayConfig, QueryArrayResult } from 'pg';
import { onBehalfOf } from '../current-account.ts';

interface Read {
  readonly query: QueryArrayConfig;
  answer(result: QueryArrayResult): void;
  fail(error: unknown): void;
}

/** Matches statements that only read. Writes wait for rows that others have locked, and for the disk. */
const READ_ONLY = /^\s*SELECT\b/;
/** The maximum number of statements on one connection: each waits for those before it. */
const MAX_PIPELINED = 8;
/** The time limit of a pool without one, in milliseconds. */
const UNLIMITED = 30_000;
/** A statement that took longer, in milliseconds, is sent alone from then on, so that no others wait for it. */
const SLOW_FROM = 50;
/**
 * Factor of that duration after each faster execution. One execution of a second stops counting after about 150 fast
 * ones.
 */
const DECAY = 0.98;

/** Sends the reads of one turn of the event loop on one connection, without waiting for each answer. */
export class Pipeline {
  readonly #pool: Pool;
  /** Durations of statements by name, in milliseconds. */
  readonly #durations = new Map<string, number>();
  #waiting: Read[] = [];

  /** @param pool its clients have the option `pipeline`, unless no statement has a name */
  constructor(pool: Pool) {
    this.#pool = pool;
    // A broken connection fails its statements; without a listener, its event would end the process, too.
    pool.on('connect', (client) => client.on('error', () => {}));
  }

  query(query: QueryArrayConfig): Promise<QueryArrayResult> {
    const { name = '', text } = query;
    // Statements without a name are rare, or searches, whose duration depends on what is searched. Behind a pooler, none has one.
    if (name === '' || !READ_ONLY.test(text) || (this.#durations.get(name) ?? 0) > SLOW_FROM)
      return this.#pool.query(query);
    const { promise, resolve, reject } = Promise.withResolvers<QueryArrayResult>();
    if (this.#waiting.push({ query, answer: resolve, fail: reject }) === 1)
      setImmediate(() => this.#sendAll());
    return promise;
  }

  #sendAll(): void {
    const reads = this.#waiting;
    this.#waiting = [];
    for (let first = 0; first < reads.length; first += MAX_PIPELINED)
      void this.#send(reads.slice(first, first + MAX_PIPELINED));
  }

  async #send(reads: readonly Read[]): Promise<void> {
    try {
      // The reads may be those of several accounts.
      const client = await onBehalfOf(undefined, () => this.#pool.connect());
      let since = performance.now();
      let failed: Error | undefined;
      const { query_timeout: timeout = UNLIMITED } = this.#pool.options;
      const late = Promise.withResolvers<never>();
      late.promise.catch(() => {}); // It may have no other handler.
      // From the answer before: `pg` counts from the beginning, and so would wait for a server that hangs for longer.
      const timer = setTimeout(() => late.reject(new Error('Query read timeout')), timeout);
      const answered = reads.map(async ({ query, answer, fail }, index) => {
        // Each has its full time limit after those before it.
        const limited = { ...query, query_timeout: timeout * (index + 1) };
        try {
          const result = await Promise.race([client.query(limited), late.promise]);
          const now = performance.now();
          this.#took(query.name ?? '', now - since);
          since = now;
          answer(result);
        } catch (error) {
          failed = error as Error; // `pg` throws nothing else.
          fail(error);
        }
        timer.refresh();
      });
      await Promise.all(answered);
      clearTimeout(timer);
      // Like the pool's own `query`, which closes a connection after an error.
      client.release(failed);
    } catch (error) {
      for (const { fail } of reads) fail(error);
    }
  }

  #took(name: string, duration: number): void {
    this.#durations.set(name, Math.max(duration, DECAY * (this.#durations.get(name) ?? 0)));
  }
}

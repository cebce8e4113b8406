import type { Writable } from 'node:stream';
import {
  type Answer,
  type Done,
  type Failure,
  isStale,
  type Query,
  Statement,
} from './postgres-statement.ts';

/** The part of `pg`'s clients that is used. */
export interface Client {
  readonly connection: { readonly stream: Pick<Writable, 'cork' | 'uncork'> };
  query(statement: Statement, values: undefined, done: Done): unknown;
  /** Returns it to the pool, which closes it after an error. */
  release(error?: Error): void;
  on(event: 'error', listener: () => void): unknown;
}

/** The part of `pg`'s pool that is used. Its clients are in pipeline mode, unless no statement has a name. */
export interface Pool {
  readonly options: { readonly query_timeout?: number };
  query(statement: Statement): Promise<Answer>;
  connect(
    done: (error: Error | undefined, client: Client | undefined, release: (error?: Error) => void) => void,
  ): void;
  on(event: 'connect', listener: (client: Client) => void): unknown;
}

interface Read {
  readonly query: Query;
  answer(answer: Answer): void;
  fail(error: unknown): void;
}

/** Matches statements that only read. Writes wait for rows that others have locked, and for the disk. */
const READ_ONLY = /^\s*SELECT\b/;
/** The maximum number of statements on one connection: each waits for those before it. */
const MAX_PIPELINED = 8;
/** From which duration, in milliseconds, a statement is sent alone from then on, so that no others wait for it. */
const SLOW_FROM = 50;
/** What remains of that duration after each faster execution: an unusual second is forgotten after about 150. */
const DECAY = 0.98;

/**
 * Sends the reads of one turn of the event loop together: writing to a socket takes longer than a small read. Each has its own
 * result or error.
 */
export class Pipeline {
  readonly #pool: Pool;
  /** How long statements took, by name, in milliseconds. */
  readonly #durations = new Map<string, number>();
  #waiting: Read[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
    // A broken connection fails its statements; without a listener, its event would end the process, too.
    pool.on('connect', (client) => client.on('error', () => {}));
  }

  async read(query: Query): Promise<Answer> {
    // Statements without a name are rare, or searches, whose duration depends on what is searched. Behind a pooler, none has one.
    if (query.name === '' || !READ_ONLY.test(query.text)) return this.#sendAlone(query);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const read = { query, answer: resolve, fail: reject };
    if ((this.#durations.get(query.name) ?? 0) > SLOW_FROM) this.#send([read]);
    else if (this.#waiting.push(read) === 1) setImmediate(() => this.#sendAll());
    return promise;
  }

  /** Sends a statement on a connection of its own. */
  #sendAlone(query: Query): Promise<Answer> {
    return this.#pool.query(new Statement(query)).catch((error: Failure) => {
      if (query.name === '' || !isStale(error)) throw error;
      return this.#sendUnnamed(query);
    });
  }

  /** Sends a statement once more that is stale on one connection, and may be so on all. */
  #sendUnnamed(query: Query): Promise<Answer> {
    return this.#pool.query(new Statement({ ...query, name: '' }));
  }

  #sendAll(): void {
    const reads = this.#waiting;
    this.#waiting = [];
    for (let first = 0; first < reads.length; first += MAX_PIPELINED)
      this.#send(reads.slice(first, first + MAX_PIPELINED));
  }

  #send(reads: readonly Read[]): void {
    this.#pool.connect((refused, client, release) => {
      if (client === undefined) {
        for (const { fail } of reads) fail(refused);
        return;
      }
      const { query_timeout: timeout = 0 } = this.#pool.options;
      // `pg` may call back twice for one statement.
      const open = new Set(reads);
      let since = performance.now();
      let failed: Error | undefined;
      const done = (read: Read, error: Failure | null | undefined, answer: Answer) => {
        if (!open.delete(read)) return;
        const now = performance.now();
        this.#took(read.query.name, now - since);
        since = now;
        failed ??= error ?? undefined;
        if (!error) read.answer(answer);
        else if (isStale(error)) this.#sendUnnamed(read.query).then(read.answer, read.fail);
        else read.fail(error);
        // Like `pg`'s own pool, which closes a connection after an error.
        if (open.size === 0) release(failed);
      };
      const { stream } = client.connection;
      stream.cork();
      for (const [index, read] of reads.entries()) {
        // Each may take its whole time after those before it.
        const statement = new Statement(read.query, timeout * (index + 1));
        client.query(statement, undefined, (error, answer) => done(read, error, answer));
      }
      stream.uncork();
    });
  }

  #took(name: string, duration: number): void {
    this.#durations.set(name, Math.max(duration, DECAY * (this.#durations.get(name) ?? 0)));
  }
}

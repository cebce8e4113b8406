import type { Writable } from 'node:stream';

/** A statement in the form of `pg`. */
export interface Query {
  /** The name under which the server keeps it prepared, or an empty text. */
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
  readonly rowMode: 'array';
  readonly types: { getTypeParser(oid: number): (text: string) => unknown };
}

export interface Answer {
  readonly fields: readonly { readonly name: string }[];
  readonly rows: readonly unknown[][];
}

/** The part of `pg`'s clients that is used. */
interface Client {
  readonly connection: { readonly stream: Pick<Writable, 'cork' | 'uncork'> };
  query(query: Query, values: undefined, done: (error: Error | null, answer: Answer) => void): void;
  on(event: 'error', listener: () => void): unknown;
  off(event: 'error', listener: () => void): unknown;
}

/** The part of `pg`'s pool that is used. Its clients are in pipeline mode. */
export interface Pool {
  query(query: Query): Promise<Answer>;
  connect(
    done: (error: Error | undefined, client: Client | undefined, release: (error?: Error) => void) => void,
  ): void;
}

interface Read {
  readonly query: Query;
  answer(answer: Answer): void;
  fail(error: Error | undefined): void;
}

const READ = /^\s*SELECT\b/;
/** The maximum number of statements on one connection: each waits for those before it. */
const TOGETHER = 8;
/** The mean duration, in milliseconds, from which a statement is sent alone, so that no others wait for it. */
const SLOW = 25;
/** The weight of the last duration in the mean. */
const WEIGHT = 0.2;

/**
 * Sends the reads of one turn of the event loop together: writing to a socket takes longer than a small read. Each has its own
 * result or error.
 */
export class Pipeline {
  readonly #pool: Pool;
  /** The mean durations of statements by name, in milliseconds. */
  readonly #durations = new Map<string, number>();
  #waiting: Read[] = [];

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async read(query: Query): Promise<Answer> {
    // Writes wait for locks and for the disk. Statements without a name are rare, or searches, whose duration depends on what is
    // searched.
    if (query.name === '' || !READ.test(query.text)) return this.#pool.query(query);
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const read = { query, answer: resolve, fail: reject };
    if ((this.#durations.get(query.name) ?? 0) > SLOW) this.#send([read]);
    else if (this.#waiting.push(read) === 1) setImmediate(() => this.#sendAll());
    return promise;
  }

  #sendAll(): void {
    const reads = this.#waiting;
    this.#waiting = [];
    for (let first = 0; first < reads.length; first += TOGETHER)
      this.#send(reads.slice(first, first + TOGETHER));
  }

  #send(reads: readonly Read[]): void {
    this.#pool.connect((refused, client, release) => {
      if (client === undefined) {
        for (const { fail } of reads) fail(refused);
        return;
      }
      // `pg` reports a broken connection to each statement, too.
      const ignore = () => {};
      client.on('error', ignore);
      let left = reads.length;
      let since = performance.now();
      let failed: Error | undefined;
      const { stream } = client.connection;
      stream.cork();
      for (const { query, answer, fail } of reads)
        client.query(query, undefined, (error, result) => {
          const now = performance.now();
          this.#took(query.name, now - since);
          since = now;
          if (error) fail(error);
          else answer(result);
          failed = error ?? failed;
          if (--left > 0) return;
          client.off('error', ignore);
          // Like `pg`'s own pool, which closes a connection after an error.
          release(failed);
        });
      stream.uncork();
    });
  }

  #took(name: string, duration: number): void {
    const mean = this.#durations.get(name) ?? 0;
    this.#durations.set(name, mean + WEIGHT * (duration - mean));
  }
}

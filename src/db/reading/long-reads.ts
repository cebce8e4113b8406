import { TooMuchWaiting, Turns } from '../../shared/turns.ts';
import type { Db } from '../connection/db.ts';
import { DatabaseAway, isUnanswered } from '../connection/errors.ts';
import { forLongReads } from '../connection/raw-reads.ts';

/** How many requests of one account may wait for long reads. */
const MAX_REQUESTS = 50;

class Queue {
  readonly turns = new Turns<number>({ maxOfOwner: () => 1 });
  /** The requests of each account that wait or read. */
  readonly requests = new Map<number, Set<LongReads>>();
  /** How many reads the database has not answered. */
  unanswered = 0;
}

const queues = new WeakMap<Db, Queue>();

/**
 * A request's long reads: one at a time for each account, and on SQLite on a thread of their own. After the signal, none
 * begins.
 */
export class LongReads {
  readonly #db: Db;
  readonly #accountId: number;
  readonly #signal: AbortSignal;
  #unfinished = 0;

  constructor(db: Db, accountId: number, signal: AbortSignal) {
    this.#db = db;
    this.#accountId = accountId;
    this.#signal = signal;
  }

  /**
   * @param read what reads from the client that it is given
   * @throws TooMuchWaiting
   */
  async take<Result>(read: (db: Db) => Promise<Result>): Promise<Result> {
    const queue = queues.get(this.#db) ?? new Queue();
    queues.set(this.#db, queue);
    const { turns, requests } = queue;
    const own = requests.get(this.#accountId) ?? new Set();
    if (!own.has(this) && own.size >= MAX_REQUESTS)
      throw new TooMuchWaiting('too many requests of one account wait for long reads');
    requests.set(this.#accountId, own.add(this));
    this.#unfinished++;
    const before = queue.unanswered;
    try {
      return await turns.take(this.#accountId, async () => {
        this.#signal.throwIfAborted();
        // Each would wait for its whole time limit, after those before it.
        if (queue.unanswered > before) throw new DatabaseAway('the database did not answer the read before');
        return read(forLongReads(this.#db));
      });
    } catch (error) {
      if (isUnanswered(error)) queue.unanswered++;
      throw error;
    } finally {
      if (--this.#unfinished === 0) own.delete(this);
      if (own.size === 0) requests.delete(this.#accountId);
    }
  }
}

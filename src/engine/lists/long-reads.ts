import type { LongReadQueue } from '../db/account-shares.ts';
import type { Data } from '../db/database.ts';
import { DatabaseAway, isUnanswered } from '../db/errors.ts';
import type { AnyClient, ClientOf } from '../db/product.ts';
import { TooMuchWaiting } from '../tools/turns.ts';

/**
 * Maximum number of an account's requests that wait for long reads, and milliseconds in which a request may begin them.
 */
const MAX_REQUESTS = 50;
const MAX_TIME = 60_000;

/**
 * A request's long reads: one at a time for each account, and on SQLite on a thread of their own. After the signal, or too long a
 * time, none begins.
 */
export class LongReads<Client extends ClientOf<Client> = AnyClient> {
  readonly #db: Data<Client>;
  readonly #queue: LongReadQueue;
  readonly #accountId: number;
  readonly #timeout: AbortSignal;
  readonly #signal: AbortSignal;
  #unfinished = 0;

  constructor(db: Data<Client>, accountId: number, signal: AbortSignal, maxTime = MAX_TIME) {
    this.#db = db;
    this.#queue = db.longReads;
    this.#accountId = accountId;
    this.#timeout = AbortSignal.timeout(maxTime);
    this.#signal = AbortSignal.any([signal, this.#timeout]);
  }

  /**
   * @param read what reads from the client that it is given
   * @throws TooMuchWaiting
   */
  async take<Result>(read: (db: Data<Client>) => Promise<Result>): Promise<Result> {
    const queue = this.#queue;
    const { turns, requests } = queue;
    const own = requests.get(this.#accountId) ?? new Set();
    if (!own.has(this) && own.size >= MAX_REQUESTS)
      throw new TooMuchWaiting('too many requests of one account wait for long reads');
    requests.set(this.#accountId, own.add(this));
    this.#unfinished++;
    const before = queue.unanswered;
    try {
      const readNow = async () => {
        this.#signal.throwIfAborted();
        // Each would wait for its whole time limit, after those before it.
        if (queue.unanswered > before) throw new DatabaseAway('the database did not answer the read before');
        return read(this.#db.long);
      };
      return await turns.take(this.#accountId, readNow, this.#signal);
    } catch (error) {
      if (isUnanswered(error)) queue.unanswered++;
      throw error === this.#timeout.reason ? new TooMuchWaiting('the long reads take too long') : error;
    } finally {
      if (--this.#unfinished === 0) own.delete(this);
      if (own.size === 0) requests.delete(this.#accountId);
    }
  }
}

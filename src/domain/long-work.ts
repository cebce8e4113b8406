import { setTimeout } from 'node:timers/promises';
import type { Data } from '../db/database.ts';
import { DomainError } from '../engine/rules/errors.ts';
import { Turns } from '../engine/tools/turns.ts';
import { pauseForWebhooks, type WaitingLimits } from './webhook/waiting-limits.ts';

/** Milliseconds between two slices, which leave room for other work. */
const PAUSE = 20;
/** Maximum number of concurrent slices on PostgreSQL; SQLite has one writer. */
const MAX_SLICES = 4;

const stopped = () =>
  new DomainError('UNAVAILABLE', 'The service stops. What is done stays: send the same request again.');

/**
 * Work of requests that takes many transactions, here called slices. An account does one such work at a time, the next one waits,
 * and accounts take turns with their slices.
 */
export class LongWorks {
  readonly #works = new Turns<number>({ maxOfOwner: () => 1 });
  readonly #slices: Turns<number>;
  /** Callbacks of each account's waiting works, which extend their deadlines whenever the account progresses. */
  readonly #waiting = new Map<number, Set<() => void>>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();

  constructor({ dialect }: Pick<Data, 'dialect'>) {
    this.#slices = new Turns({ max: dialect.hasConcurrentWriters ? MAX_SLICES : 1 });
  }

  /** Ends the works of all accounts after their current slice, and waits for that. */
  async stop(): Promise<void> {
    this.#stop.abort(stopped());
    await Promise.allSettled(this.#running);
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  /** Runs a work when it is the turn of its account. @param progressed called when another work of the account progresses */
  async take<T>(accountId: number, progressed: () => void, work: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(accountId) ?? new Set();
    this.#waiting.set(accountId, waiting.add(progressed));
    const leave = () => {
      waiting.delete(progressed);
      if (waiting.size === 0 && this.#waiting.get(accountId) === waiting) this.#waiting.delete(accountId);
    };
    const begun = async () => {
      leave();
      return work();
    };
    const running = this.#works.take(accountId, begun, this.signal).finally(leave);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Does a slice when it is the turn of its account. */
  async slice<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    const result = await this.#slices.take(accountId, work, this.signal);
    for (const progressed of this.#waiting.get(accountId) ?? []) progressed();
    return result;
  }
}

/** Dependencies of a request's long work. */
interface LongWorkOptions {
  readonly works: LongWorks;
  readonly waitingLimits: WaitingLimits;
  /** @throws DomainError if the caller may not do this any more */
  requireRights(): Promise<void>;
  /** The error if a transaction is open already, of which the slices would be a part. */
  refusal(): Error;
}

/** The long work of a request. */
export class LongWork {
  readonly #options: LongWorkOptions;

  constructor(options: LongWorkOptions) {
    this.#options = options;
  }

  /**
   * Does slices until one is the last. It goes on if the client leaves. If the process stops, or the caller's rights end, it
   * breaks off after a slice, and what is done stays.
   * @param slice does one in a transaction of its own, and returns whether there may be more
   * @throws the refusal within a transaction; DomainError UNAVAILABLE if the process stops, UNAUTHENTICATED or FORBIDDEN
   */
  async inSlices(db: Data, accountId: number, slice: (db: Data) => Promise<boolean>): Promise<void> {
    const { works, waitingLimits, requireRights, refusal } = this.#options;
    const { separate } = db;
    if (separate === null) throw refusal();
    const progressed = () => separate.progressed();
    await works.take(accountId, progressed, async () => {
      for (let more = true; more; ) {
        more = await works.slice(accountId, () => slice(separate));
        progressed();
        await pauseForWebhooks(db, accountId, waitingLimits);
        await setTimeout(PAUSE);
        works.signal.throwIfAborted();
        await requireRights();
        progressed();
      }
    });
  }
}

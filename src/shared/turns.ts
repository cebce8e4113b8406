import { TIMED_OUT, withTimeout } from './timeout.ts';

/** The work could not start in time. */
export class SemaphoreTimeout extends Error {}

/** Too much of the owner's work waits. */
export class TooMuchWaiting extends Error {}

/** Limits concurrent work. Owners whose work waits take turns, so that one with much work delays another one little. */
export class FairTurns {
  #free: number;
  readonly #maxWaiting: number;
  /** The waiting work of each owner; the first owner is next. */
  readonly #waiting = new Map<string, Set<() => void>>();

  /** @param maxWaiting how much work of one owner may wait */
  constructor(max: number, maxWaiting: number) {
    this.#free = max;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Runs the work when it is its turn.
   * @param timeout how long to wait for that, in milliseconds; without limit by default
   * @throws TooMuchWaiting, SemaphoreTimeout
   */
  async take<T>(owner: string, work: () => Promise<T>, timeout?: number): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(owner, timeout);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  async #turn(owner: string, timeout: number | undefined): Promise<void> {
    const own = this.#waiting.get(owner) ?? new Set();
    if (own.size >= this.#maxWaiting) throw new TooMuchWaiting('too much work of one owner waits');
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(owner, own.add(resolve));
    if (timeout === undefined) return promise;
    // If the turn comes at the same time as the timeout, it is used.
    if ((await withTimeout(timeout, promise)) !== TIMED_OUT || !own.delete(resolve)) return;
    if (own.size === 0) this.#waiting.delete(owner);
    throw new SemaphoreTimeout('timed out while waiting for a turn');
  }

  #next(): void {
    const [[owner, own] = ['', new Set<() => void>()]] = this.#waiting;
    const [resume] = own;
    if (resume === undefined) {
      this.#free++;
      return;
    }
    own.delete(resume);
    this.#waiting.delete(owner);
    if (own.size > 0) this.#waiting.set(owner, own);
    resume();
  }
}

/** Limits concurrent work; further callers wait in order. */
export class Semaphore {
  readonly #turns: FairTurns;

  constructor(max: number) {
    this.#turns = new FairTurns(max, Number.POSITIVE_INFINITY);
  }

  take<T>(work: () => Promise<T>, timeout?: number): Promise<T> {
    return this.#turns.take('', work, timeout);
  }
}

/** Lets each owner do one piece of work at a time. */
export class OwnTurns<Owner> {
  readonly #last = new Map<Owner, Promise<unknown>>();

  /** Runs the work when the owner's work before it has ended. */
  take<T>(owner: Owner, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(owner) ?? Promise.resolve()).then(work);
    const ended: Promise<unknown> = result
      .catch(() => {})
      .then(() => {
        if (this.#last.get(owner) === ended) this.#last.delete(owner);
      });
    this.#last.set(owner, ended);
    return result;
  }
}

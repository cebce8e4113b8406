import { TIMED_OUT, withTimeout } from './timeout.ts';

/** The work could not start in time. */
export class SemaphoreTimeout extends Error {}

/** A semaphore: limits concurrent work; further callers wait in order. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#free = max;
  }

  /**
   * Runs the work when it is its turn.
   * @param timeout how long to wait for that, in milliseconds; without limit by default
   * @throws SemaphoreTimeout
   */
  async take<T>(work: () => Promise<T>, timeout?: number): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(timeout);
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next) next();
      else this.#free++;
    }
  }

  async #turn(timeout: number | undefined): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const come = () => {
      this.#waiting.delete(come);
      resolve();
    };
    this.#waiting.add(come);
    if (timeout === undefined) return promise;
    // If the turn comes at the same time as the timeout, it is used.
    if ((await withTimeout(timeout, promise)) === TIMED_OUT && this.#waiting.delete(come))
      throw new SemaphoreTimeout('timed out while waiting for a turn');
  }
}

/** Too much of the owner's work waits. */
export class TooMuchWaiting extends Error {}

/** Limits concurrent work. Owners whose work waits take turns, so that one with much work delays another one little. */
export class FairTurns {
  #free: number;
  readonly #maxWaiting: number;
  /** The waiting work of each owner; the first owner is next. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** @param maxWaiting how much work of one owner may wait */
  constructor(max: number, maxWaiting: number) {
    this.#free = max;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Runs the work when it is its turn.
   * @throws TooMuchWaiting
   */
  async take<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(owner);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(owner: string): Promise<void> {
    const own = this.#waiting.get(owner) ?? [];
    if (own.length >= this.#maxWaiting) throw new TooMuchWaiting('too much work of one owner waits');
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.set(owner, [...own, resolve]);
    return promise;
  }

  #next(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free++;
      return;
    }
    const [owner, [come, ...rest]] = next;
    this.#waiting.delete(owner);
    if (rest.length > 0) this.#waiting.set(owner, rest);
    come?.();
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

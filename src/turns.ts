import { LATE, within } from './within.ts';

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
    // If the turn comes at the same moment as the timeout, it is used.
    if ((await within(timeout, promise)) === LATE && this.#waiting.delete(come))
      throw new SemaphoreTimeout('timed out while waiting for a turn');
  }
}

import { LATE, within } from './within.ts';

/** No turn came in time. */
export class NoTurn extends Error {}

/** Lets so many do something at once; the others wait, and come in the order in which they asked. */
export class Turns {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#free = max;
  }

  /**
   * Does the work when its turn comes.
   * @param timeout after how many milliseconds it is not waited for any longer; never by default
   * @throws NoTurn
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
    // It may come in the moment in which it is given up: then it is taken.
    if ((await within(timeout, promise)) === LATE && this.#waiting.delete(come))
      throw new NoTurn('it took too long until the turn came');
  }
}

/** The time without a sign of life after which a worker is killed, and the pause between two checks, in milliseconds. */
export interface Patience {
  readonly silence: number;
  /** Further time for a worker that starts: a busy machine loads the program slowly. */
  readonly start: number;
  readonly interval: number;
}

/**
 * Says which workers have given no sign of life for too long, in this process's own running time: time in which it stood still
 * itself counts as one interval at most, since signs wait for it then.
 */
export class SignsOfLife<Worker> {
  readonly #patience: Patience;
  readonly #now: () => number;
  /** For how many milliseconds each worker has been silent. */
  readonly #silent = new Map<Worker, number>();
  #lookedAt: number;

  /** @param now milliseconds by a monotonic clock */
  constructor(patience: Patience, now: () => number = () => performance.now()) {
    this.#patience = patience;
    this.#now = now;
    this.#lookedAt = now();
  }

  /** Notes the begin of a worker, or a sign of life. */
  sign(worker: Worker, serves: boolean): void {
    this.#silent.set(worker, serves ? 0 : -this.#patience.start);
  }

  /** Forgets a worker that has ended. */
  ended(worker: Worker): void {
    this.#silent.delete(worker);
  }

  /** Returns the workers that have been silent for too long. Call it once an interval. */
  look(): Worker[] {
    const now = this.#now();
    const passed = Math.min(now - this.#lookedAt, this.#patience.interval);
    this.#lookedAt = now;
    for (const [worker, time] of this.#silent) this.#silent.set(worker, time + passed);
    return [...this.#silent].flatMap(([worker, time]) => (time >= this.#patience.silence ? [worker] : []));
  }
}

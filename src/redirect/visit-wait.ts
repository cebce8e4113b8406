/** Milliseconds in all for which a visit of a known link waits for the database: less than the promised 300. */
const LIMIT = 250;

/** The time that a visit may still wait to learn whether what it knows has changed. */
export class VisitWait {
  readonly #now: () => number;
  #left = LIMIT;

  /** @param now milliseconds by a monotonic clock */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Waits for as many milliseconds as `wait` needs, but not for more than that many, nor for more than are left. */
  async upTo<T>(milliseconds: number, wait: (milliseconds: number) => Promise<T>): Promise<T> {
    const beganAt = this.#now();
    try {
      return await wait(Math.max(0, Math.min(milliseconds, this.#left)));
    } finally {
      this.#left -= this.#now() - beganAt;
    }
  }

  /** True if no time is left. */
  get isOver(): boolean {
    return this.#left <= 0;
  }

  /** Call it when something must be read, for which the visit has to wait: it then has no limit of its own. */
  mustRead(): void {
    this.#left = Number.POSITIVE_INFINITY;
  }
}

/**
 * The end of the time that work has. If the timer is late because the process did not run, the work gets that time again, at
 * most its whole time once more.
 */
export class Deadline {
  readonly #milliseconds: number;
  readonly #error: () => Error;
  readonly #passed = new AbortController();
  readonly #late = Promise.withResolvers<never>();
  #at: number;
  #timer: NodeJS.Timeout | undefined;

  /** @param error made when the time is over */
  constructor(milliseconds: number, error: () => Error) {
    this.#milliseconds = milliseconds;
    this.#error = error;
    this.#late.promise.catch(() => {}); // Nothing may wait for it.
    this.#at = performance.now() + milliseconds;
    this.#wait();
  }

  /** Aborted with the error when the time is over. */
  get signal(): AbortSignal {
    return this.#passed.signal;
  }

  /** The time that is left, in milliseconds. */
  get left(): number {
    return this.signal.aborted ? 0 : Math.max(0, Math.ceil(this.#at - performance.now()));
  }

  /** Begins the whole time again, for work that has done a part. */
  extend(): void {
    this.#at = performance.now() + this.#milliseconds;
  }

  /** The result of the work. @throws the error when the time is over; the work itself continues */
  async within<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.#late.promise]);
    } finally {
      clearTimeout(this.#timer);
    }
  }

  /** @param isLast whether the work was given time again */
  #wait(isLast = false): void {
    const dueAt = this.#at;
    const pass = () => {
      if (this.#at > dueAt) return this.#wait();
      if (isLast) return this.#pass();
      const missed = Math.max(0, performance.now() - dueAt);
      this.#at += Math.min(missed, this.#milliseconds);
      this.#wait(true);
    };
    this.#timer = setTimeout(pass, Math.max(1, dueAt - performance.now()));
  }

  #pass(): void {
    const error = this.#error();
    this.#passed.abort(error);
    this.#late.reject(error);
  }
}

import { withTimeout } from '../engine/tools/timeout.ts';

/**
 * Visits wait for their answers while the queue is longer than MAX_WRITE_TIME milliseconds of writing, at the speed of the
 * last write. They never wait for a queue of up to MIN_LINKS links.
 */
const MAX_WRITE_TIME = 450;
const MIN_LINKS = 1_000;

/**
 * Decides when visits wait for the writer. A crash loses queued visits, so the queue is kept as short as what is written in
 * half a second, but not below MIN_LINKS links. Visits do not wait for a database that stands still, or whose last write
 * failed.
 */
export class BackPressure {
  readonly #standstill: number;
  /** Links per millisecond of the last write. */
  #speed = 0;
  /** Start of the running write, or of its last slice; null if none runs. */
  #wroteAt: number | null = null;
  /** Resolves with the next slice. */
  #sliced = Promise.withResolvers<void>();

  /** @param standstill after how many milliseconds without a commit the database counts as stuck */
  constructor(standstill: number) {
    this.#standstill = standstill;
  }

  /** True if visits must wait while so many links are queued. `hasFailed` is true if the last write has failed. */
  isBusy(links: number, hasFailed: boolean): boolean {
    if (links <= Math.max(MIN_LINKS, this.#speed * MAX_WRITE_TIME)) return false;
    if (this.#wroteAt === null) return !hasFailed;
    return performance.now() - this.#wroteAt < this.#standstill;
  }

  /** Resolves with the next slice, or when the database counts as stuck. */
  async waitForSlice(): Promise<void> {
    await withTimeout(this.#standstill, this.#sliced.promise);
  }

  /** Call it when a write begins. */
  began(): void {
    this.#wroteAt = performance.now();
  }

  /** Call it after each slice of a write. */
  wroteSlice(): void {
    this.#wroteAt = performance.now();
    this.#sliced.resolve();
    this.#sliced = Promise.withResolvers();
  }

  /** Call it when a write has written so many links in so many milliseconds. */
  wroteAll(links: number, milliseconds: number): void {
    if (links > 0) this.#speed = links / milliseconds;
  }

  /** Call it when a write has ended, also if it has failed. */
  ended(): void {
    this.#wroteAt = null;
  }
}

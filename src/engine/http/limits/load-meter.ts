import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds for which a request counts as recent, and utilization (of 1) from which the thread counts as busy. */
const RECENT_MS = 100;
const BUSY_FROM = 0.5;
/** Milliseconds between two measurements of utilization, between two checks by waiting work, and of its maximum wait. */
const MEASURE_INTERVAL = 50;
const STEP_MS = 20;
const MAX_WAIT = 250;

/** The time, and how busy the thread was. */
type Clock = Pick<typeof performance, 'now' | 'eventLoopUtilization'>;

/** Measures whether the process is busy with requests, so that background work can wait. */
export class LoadMeter {
  readonly #clock: Clock;
  readonly #pause: (milliseconds: number) => Promise<void>;
  #requestAt = Number.NEGATIVE_INFINITY;
  #measuredAt: number;
  #last: EventLoopUtilization;
  #utilization = 0;

  constructor(clock: Clock = performance, pause: (milliseconds: number) => Promise<void> = setTimeout) {
    this.#clock = clock;
    this.#pause = pause;
    this.#measuredAt = clock.now();
    this.#last = clock.eventLoopUtilization();
  }

  /** Call it when a request begins. */
  requestStarted(): void {
    this.#requestAt = this.#clock.now();
  }

  /** Resolves when the process is idle, at the latest after a quarter of a second. */
  async waitUntilIdle(): Promise<void> {
    const deadline = this.#clock.now() + MAX_WAIT;
    while (this.#isBusy() && this.#clock.now() < deadline) await this.#pause(STEP_MS);
  }

  #isBusy(): boolean {
    const now = this.#clock.now();
    if (now - this.#requestAt > RECENT_MS) return false;
    if (now - this.#measuredAt > MEASURE_INTERVAL) {
      const current = this.#clock.eventLoopUtilization();
      this.#utilization = this.#clock.eventLoopUtilization(current, this.#last).utilization;
      [this.#last, this.#measuredAt] = [current, now];
    }
    return this.#utilization > BUSY_FROM;
  }
}

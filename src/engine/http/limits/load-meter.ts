import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** Milliseconds for which a request counts as recent, and utilization (of 1) from which the thread counts as busy. */
const RECENT_MS = 100;
const BUSY_FROM = 0.5;
/** Milliseconds between two measurements of utilization, between two checks by waiting work, and of its maximum wait. */
const MEASURE_INTERVAL = 50;
const STEP_MS = 20;
const MAX_WAIT = 250;

/** Measures whether the process is busy with requests, so that background work can wait. */
export class LoadMeter {
  #requestAt = Number.NEGATIVE_INFINITY;
  #measuredAt = performance.now();
  #last: EventLoopUtilization = performance.eventLoopUtilization();
  #utilization = 0;

  /** Call it when a request begins. */
  requestStarted(): void {
    this.#requestAt = performance.now();
  }

  /** Resolves when the process is idle, at the latest after a quarter of a second. */
  async waitUntilIdle(): Promise<void> {
    const deadline = performance.now() + MAX_WAIT;
    while (this.#isBusy() && performance.now() < deadline) await setTimeout(STEP_MS);
  }

  #isBusy(): boolean {
    const now = performance.now();
    if (now - this.#requestAt > RECENT_MS) return false;
    if (now - this.#measuredAt > MEASURE_INTERVAL) {
      const current = performance.eventLoopUtilization();
      this.#utilization = performance.eventLoopUtilization(current, this.#last).utilization;
      [this.#last, this.#measuredAt] = [current, now];
    }
    return this.#utilization > BUSY_FROM;
  }
}

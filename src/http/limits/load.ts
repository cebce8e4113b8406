import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** How recent a request counts, in milliseconds, and how busy the thread has to be for that to matter, of 1. */
const RECENT = 100;
const BUSY = 0.5;
/** How long a look at how busy it is counts, how often who waits looks again, and how long they wait, in milliseconds. */
const LOOKED_EVERY = 50;
const STEP = 20;
const TIMEOUT = 250;

/** Knows whether the process is busy with requests, so that what has time can give way to them. */
export class Load {
  #requestAt = Number.NEGATIVE_INFINITY;
  #lookedAt = performance.now();
  #last: EventLoopUtilization = performance.eventLoopUtilization();
  #utilization = 0;

  /** To be called when a request begins. */
  began(): void {
    this.#requestAt = performance.now();
  }

  /** Settles when the process has time; in a quarter of a second even where it has none. */
  async giveWay(): Promise<void> {
    const deadline = performance.now() + TIMEOUT;
    while (this.#isBusy() && performance.now() < deadline) await setTimeout(STEP);
  }

  #isBusy(): boolean {
    const now = performance.now();
    if (now - this.#requestAt > RECENT) return false;
    if (now - this.#lookedAt > LOOKED_EVERY) {
      const current = performance.eventLoopUtilization();
      this.#utilization = performance.eventLoopUtilization(current, this.#last).utilization;
      [this.#last, this.#lookedAt] = [current, now];
    }
    return this.#utilization > BUSY;
  }
}

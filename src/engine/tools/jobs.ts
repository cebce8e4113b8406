import type { Logger } from 'pino';
import { singleFlight } from './single-flight.ts';

// Jobs are what a process does again and again beside its requests. Each is run at once, and then by its interval. A run that
// takes longer than the interval is not begun a second time, and one that fails is logged, and left to the next.

/** Work that is done by an interval. */
export interface Job {
  /** Names the work for readers of the table. */
  readonly name: string;
  /** Milliseconds between two runs. */
  readonly every: number;
  /** The message in the log if it fails. */
  readonly failure: string;
  readonly run: {
    work(): Promise<void>;
    /** Has the work end soon. */
    stop?(): void;
  };
}

/** Runs jobs until it is stopped. */
export class Jobs {
  readonly #jobs: readonly Job[];
  readonly #log: Logger;
  readonly #timers: NodeJS.Timeout[] = [];
  /** The latest run of each. */
  readonly #running = new Map<Job, Promise<void>>();

  constructor(jobs: readonly Job[], log: Logger) {
    this.#jobs = jobs;
    this.#log = log;
  }

  start(): void {
    for (const job of this.#jobs) {
      const work = singleFlight(() =>
        job.run.work().catch((error: unknown) => {
          this.#log.warn({ err: error }, job.failure);
        }),
      );
      const begin = () => void this.#running.set(job, work());
      begin();
      this.#timers.push(setInterval(begin, job.every).unref());
    }
  }

  /** Waits for what runs. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    for (const { run } of this.#jobs) run.stop?.();
    await Promise.all(this.#running.values());
  }
}

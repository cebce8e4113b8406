import type { Logger } from 'pino';
import { addClicks } from '../db/clicks.ts';
import type { Db } from '../db/client.ts';

/** How often clicks are written, in milliseconds: what a crash may cost. */
const WRITTEN_EVERY = 1_000;

/** Counts visits in memory, and writes them together. */
export class ClickBuffer {
  readonly #db: Db;
  readonly #log: Logger;
  #counts = new Map<number, number>();
  #writing: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  count(linkId: number, visits = 1): void {
    this.#counts.set(linkId, (this.#counts.get(linkId) ?? 0) + visits);
  }

  /** Writes what is counted so far. What could not be written is kept for the next time. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#counts.size === 0) return;
    const counts = this.#counts;
    this.#counts = new Map();
    this.#writing = addClicks(this.#db, counts)
      .catch((error: unknown) => {
        this.#log.warn({ err: error, links: counts.size }, 'clicks could not be written yet');
        for (const [linkId, visits] of counts) this.count(linkId, visits);
      })
      .finally(() => {
        this.#writing = null;
      });
    await this.#writing;
  }

  start(): void {
    this.#timer = setInterval(() => this.flush(), WRITTEN_EVERY).unref();
  }

  /** Ends the writing, after all is written. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }
}

import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { addClicks, type Clicks, forgetReceipts, type Receipt } from '../db/clicks.ts';
import type { Db } from '../db/client.ts';

/** How often clicks are written, in milliseconds: what a crash may cost. */
const WRITTEN_EVERY = 1_000;
/** How long the end waits for a database that does not take them, and how often it tries, in milliseconds. */
const LAST_PATIENCE = 5_000;
const LAST_TRIES_EVERY = 100;

/** Clicks that are being written: under one receipt, until they are, so that they count once. */
interface Batch {
  readonly receipt: Receipt;
  readonly counts: ReadonlyMap<number, Clicks>;
}

/** Counts visits in memory, and writes them together. */
export class ClickBuffer {
  readonly #db: Db;
  readonly #log: Logger;
  readonly #processId = randomUUID();
  #counts = new Map<number, Clicks>();
  #batch: Batch | null = null;
  #batches = 0;
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  count(linkId: number, last: Date): void {
    this.#counts.set(linkId, { count: (this.#counts.get(linkId)?.count ?? 0) + 1, last });
  }

  /** Writes what is counted so far. What could not be written is kept for the next time. */
  flush(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async #write(): Promise<void> {
    // What may have been written already goes first, as it was; else nobody could tell it from what came after.
    while (this.#batch !== null || this.#counts.size > 0) {
      this.#batch ??= this.#nextBatch();
      const { counts, receipt } = this.#batch;
      try {
        await addClicks(this.#db, counts, receipt);
        this.#batch = null;
      } catch (error) {
        this.#log.warn({ err: error, links: counts.size }, 'clicks could not be written yet');
        return;
      }
    }
  }

  #nextBatch(): Batch {
    const counts = this.#counts;
    this.#counts = new Map();
    return { counts, receipt: { processId: this.#processId, number: ++this.#batches } };
  }

  start(): void {
    forgetReceipts(this.#db).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'old receipts of clicks could not be deleted');
    });
    this.#timer = setInterval(() => this.flush(), WRITTEN_EVERY).unref();
  }

  /** Ends the writing, after all is written; a database that does not take it is not waited for longer than some seconds. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const deadline = performance.now() + LAST_PATIENCE;
    await this.flush();
    while (this.#unwritten > 0 && performance.now() < deadline) {
      await setTimeout(LAST_TRIES_EVERY);
      await this.flush();
    }
    if (this.#unwritten > 0) this.#log.error({ clicks: this.#unwritten }, 'clicks were lost');
  }

  /** How many clicks are counted and not known to be written. */
  get #unwritten(): number {
    const counts = [...this.#counts.values(), ...(this.#batch?.counts.values() ?? [])];
    return counts.reduce((sum, { count }) => sum + count, 0);
  }
}

import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { addClicks, type Clicks, forgetReceipts, type Receipt } from '../db/clicks.ts';
import type { Db } from '../db/connection/client.ts';
import { within } from '../within.ts';

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
  #writing: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Db, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  count(linkId: number, last: Date): void {
    this.#counts.set(linkId, { count: (this.#counts.get(linkId)?.count ?? 0) + 1, last });
  }

  /** Writes what is counted so far. What could not be written is kept for the next time. */
  async flush(): Promise<void> {
    // Of those who wait for a write that goes on, one begins the next, which is for all of them.
    if (this.#writing !== null) this.#next ??= this.#writing.then(() => this.#begin());
    await (this.#writing === null ? this.#begin() : this.#next);
  }

  #begin(): Promise<void> {
    this.#next = null;
    this.#writing = this.#write().finally(() => {
      this.#writing = null;
    });
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
    await within(LAST_PATIENCE, this.#writeAll());
    if (this.#unwritten > 0) this.#log.error({ clicks: this.#unwritten }, 'clicks were lost');
  }

  async #writeAll(): Promise<void> {
    await this.flush();
    while (this.#unwritten > 0) {
      await setTimeout(LAST_TRIES_EVERY);
      await this.flush();
    }
  }

  /** How many clicks are counted and not known to be written. */
  get #unwritten(): number {
    const counts = [...this.#counts.values(), ...(this.#batch?.counts.values() ?? [])];
    return counts.reduce((sum, { count }) => sum + count, 0);
  }
}

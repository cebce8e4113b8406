import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { forgetReceipts } from '../db/clicks.ts';
import type { Db } from '../db/connection/client.ts';
import { unwrittenOf, type Visits } from '../db/statistics/batch.ts';
import { ValueIds } from '../db/statistics/value-ids.ts';
import { Salts } from '../db/statistics/visitors.ts';
import { type Memory, type Receipt, writeVisits } from '../db/statistics/write.ts';
import { OTHER_REFERRER } from '../domain/visit/facts.ts';
import { within } from '../within.ts';
import { PendingVisits } from './pending-visits.ts';
import type { Visit } from './visit.ts';

/** How often clicks are written, in milliseconds: what a crash may cost. */
const WRITTEN_EVERY = 1_000;
/** How long the end waits for a database that does not take them, and how often it tries, in milliseconds. */
const LAST_TIMEOUT = 5_000;
const LAST_TRIES_EVERY = 100;

/** Of how many links at most visits are written by one transaction: on SQLite, others wait for its end. */
const WRITTEN_TOGETHER = 500;

/** Visits that are being written: under one receipt, until they are, so that they count once. */
interface Batch {
  readonly receipt: Receipt;
  readonly visits: Visits;
}

/** Counts visits in memory, and writes them together. */
export class ClickBuffer {
  readonly #db: Db;
  readonly #log: Logger;
  readonly #processId = randomUUID();
  readonly #memory: Memory = { ids: new ValueIds(), salts: new Salts(), other: OTHER_REFERRER };
  readonly #pending: PendingVisits;
  /** Visits whose answer is being sent. */
  #fresh: Visit[] = [];
  #batch: Batch | null = null;
  #batches = 0;
  #writing: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** @param described whether more than the clicks is counted */
  constructor(db: Db, log: Logger, described = true) {
    this.#db = db;
    this.#log = log;
    this.#pending = new PendingVisits(described);
  }

  /** Counts a click of which no more is known. */
  count(linkId: number, at: Date): void {
    this.#pending.count(linkId, at);
  }

  /** Counts a visit, once its answer is sent: what it is worth takes longer to find out than the answer. */
  add(visit: Visit): void {
    if (this.#fresh.push(visit) === 1) setImmediate(() => this.#take());
  }

  #take(): void {
    const fresh = this.#fresh;
    if (fresh.length === 0) return;
    this.#fresh = [];
    for (const visit of fresh) {
      try {
        this.#pending.add(visit);
      } catch (error) {
        // The click is counted before anything else is looked at.
        this.#log.error({ err: error }, 'a visit was counted as a click alone');
      }
    }
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
    this.#take();
    while (this.#batch !== null || !this.#pending.isEmpty) {
      this.#batch ??= this.#nextBatch();
      const { visits, receipt } = this.#batch;
      try {
        await writeVisits(this.#db, visits, receipt, this.#memory);
        this.#batch = null;
      } catch (error) {
        this.#log.warn({ err: error, links: visits.size }, 'clicks could not be written yet');
        return;
      }
    }
  }

  #nextBatch(): Batch {
    const visits = this.#pending.take(WRITTEN_TOGETHER);
    return { visits, receipt: { processId: this.#processId, number: ++this.#batches } };
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
    await within(LAST_TIMEOUT, this.#writeAll());
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
    this.#take();
    let sum = this.#pending.unwritten;
    for (const link of this.#batch?.visits.values() ?? []) sum += unwrittenOf(link);
    return sum;
  }
}

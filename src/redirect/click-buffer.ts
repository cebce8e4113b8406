import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../db/connection/db.ts';
import { unwrittenOf, type Visits } from '../db/statistics/batch.ts';
import { forgetReceipts } from '../db/statistics/counters.ts';
import { ValueIds } from '../db/statistics/value-ids.ts';
import { Salts } from '../db/statistics/visitors.ts';
import { type Receipt, type WriteCaches, writeVisits } from '../db/statistics/write.ts';
import { PendingVisits } from '../domain/visit/pending-visits.ts';
import type { Visit } from '../domain/visit/visit.ts';
import { OTHER_REFERRER } from '../domain/visit/visitor-attributes.ts';
import { RepeatedFault } from '../shared/repeated-fault.ts';
import { withTimeout } from '../shared/timeout.ts';

/** How often clicks are written, in milliseconds: a crash loses at most this much. */
const WRITTEN_EVERY = 1_000;
/** How long `stop` waits for an unavailable database, and how often it tries, in milliseconds. */
const LAST_TIMEOUT = 5_000;
const LAST_TRIES_EVERY = 100;

/** The maximum number of links in one transaction: on SQLite, other writers wait for its end. */
const WRITTEN_TOGETHER = 500;

/** Visits of one write. Retries use the same receipt, so that they count once. */
interface Batch {
  readonly receipt: Receipt;
  readonly visits: Visits;
}

/** Counts visits in memory, and writes them in batches. */
export class ClickBuffer {
  readonly #db: Db;
  readonly #log: Logger;
  readonly #unwritable: RepeatedFault;
  readonly #processId = randomUUID();
  readonly #caches: WriteCaches = { ids: new ValueIds(), salts: new Salts(), other: OTHER_REFERRER };
  readonly #pending: PendingVisits;
  /** Visits that are not counted yet. */
  #fresh: Visit[] = [];
  #batch: Batch | null = null;
  #batches = 0;
  #writing: Promise<void> | null = null;
  #next: PromiseWithResolvers<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** @param described whether statistics are counted, too */
  constructor(db: Db, log: Logger, described = true) {
    this.#db = db;
    this.#log = log;
    this.#unwritable = new RepeatedFault(log, 'clicks cannot be written');
    this.#pending = new PendingVisits(described);
  }

  /** Counts a click without statistics. */
  count(linkId: number, at: Date): void {
    this.#pending.count(linkId, at);
  }

  /** Counts a visit after its answer is sent, since parsing its properties takes longer than the answer. */
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
        // `#pending.add` counts the click before it parses anything.
        this.#log.error({ err: error }, 'a visit was counted as a click, without statistics');
      }
    }
  }

  /** Writes all counted visits. After a failure, they are kept for the next write. */
  flush(): Promise<void> {
    if (this.#writing === null) return this.#begin();
    // Callers during a running write share the next one.
    this.#next ??= Promise.withResolvers();
    return this.#next.promise;
  }

  /** Writes the clicks of a link that are not in the database yet, so that they count for its limit. */
  async settle(linkId: number): Promise<void> {
    this.#take();
    if (this.#pending.unwrittenOf(linkId) > 0 || this.#batch?.visits.has(linkId)) await this.flush();
  }

  #begin(): Promise<void> {
    this.#writing = this.#write().finally(() => {
      const next = this.#next;
      [this.#writing, this.#next] = [null, null];
      // At once, so that no other write begins before it.
      next?.resolve(this.#begin());
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    this.#take();
    // Visits that arrive meanwhile wait for the next write: else this one would never end under load.
    let left = this.#pending.links;
    // A batch that may have been committed is sent again unchanged, before any new visits.
    while (this.#batch !== null || left > 0) {
      if (this.#batch === null) {
        this.#batch = this.#nextBatch();
        left -= WRITTEN_TOGETHER;
      }
      const { visits, receipt } = this.#batch;
      try {
        await writeVisits(this.#db, visits, receipt, this.#caches);
        this.#batch = null;
        this.#unwritable.ended();
      } catch (error) {
        this.#unwritable.occurred(error, () => ({ clicks: this.unwritten }));
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

  /** Writes the remaining visits, and stops; waits only a few seconds for an unavailable database. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await withTimeout(LAST_TIMEOUT, this.#writeAll());
    if (this.unwritten > 0) this.#log.error({ clicks: this.unwritten }, 'clicks were lost');
  }

  async #writeAll(): Promise<void> {
    await this.flush();
    while (this.unwritten > 0) {
      await setTimeout(LAST_TRIES_EVERY);
      await this.flush();
    }
  }

  /** The number of clicks that are not known to be written. */
  get unwritten(): number {
    this.#take();
    let sum = this.#pending.unwritten;
    for (const link of this.#batch?.visits.values() ?? []) sum += unwrittenOf(link);
    return sum;
  }
}

import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Data } from '../db/database.ts';
import { RepeatedFault } from '../engine/tools/repeated-fault.ts';
import { nextFlight } from '../engine/tools/single-flight.ts';
import { withTimeout } from '../engine/tools/timeout.ts';
import { BackPressure } from './back-pressure.ts';
import { Batches } from './batches.ts';
import { type CountedLink, type CountsBefore, ImmediateCounts, type Turn } from './immediate-counts.ts';
import { type Bounds, PendingVisits, type Visit } from './pending-visits.ts';
import { type RefusalMetrics, RefusedVisits } from './refused-visits.ts';
import { type QueueMetrics, VisitQueue } from './visit-queue.ts';
import { deleteOldReceipts } from './visit-writer.ts';

/** Milliseconds between two writes of clicks. */
const WRITE_INTERVAL = 500;
/** Milliseconds for which `stop` waits for a database that writes nothing, and between its attempts. */
const LAST_TIMEOUT = 5_000;
const LAST_RETRY_INTERVAL = 100;
/** Milliseconds without a commit after which a database counts as stuck. */
const STANDSTILL = { inProcess: 250, server: 1_000 };

/**
 * Counts visits: in memory first (`VisitQueue`), and twice a second in the database (`Batches`). `BackPressure` says when
 * visits wait for that. A visit of a link with a click limit is counted in the database before its answer, and a rotation
 * takes its turn there (`ImmediateCounts`). A write that fails is repeated. A crash loses about half a second of visits, and
 * more while the database stands still.
 */
export class ClickBuffer {
  readonly #db: Data;
  readonly #log: Logger;
  readonly #unwritable: RepeatedFault;
  readonly #queue: VisitQueue;
  readonly #batches: Batches;
  readonly #pressure: BackPressure;
  readonly #immediate: ImmediateCounts;
  /** Start of the last write that left nothing unwritten, by a monotonic clock. */
  #writtenAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param statistics whether statistics are counted, too
   * @param bounds of the waiting visits
   */
  constructor(
    db: Data,
    log: Logger,
    metrics?: QueueMetrics & RefusalMetrics,
    statistics = true,
    bounds: Partial<Bounds> = {},
  ) {
    this.#db = db;
    this.#log = log;
    this.#unwritable = new RepeatedFault(log, 'clicks cannot be written');
    const refused = new RefusedVisits(log, metrics);
    this.#queue = new VisitQueue(log, metrics, new PendingVisits(statistics, bounds));
    this.#batches = new Batches(db, refused);
    this.#pressure = new BackPressure(db.dialect.runsInProcess ? STANDSTILL.inProcess : STANDSTILL.server);
    this.#immediate = new ImmediateCounts(db, refused);
  }

  /** Counts a visit after its answer is sent. */
  add(visit: Visit): void {
    this.#queue.add(visit);
  }

  /** True if visits must wait for `caughtUp`. They do not wait for a database that is away. */
  get isBusy(): boolean {
    return this.#pressure.isBusy(this.#queue.links, this.#batches.isUnfinished);
  }

  async caughtUp(): Promise<void> {
    this.flush();
    while (this.isBusy) await this.#pressure.waitForSlice();
  }

  /**
   * Counts a visit of an active link in the database. Call `add` with the same visit then. Returns null if the link is not
   * active.
   */
  countAtOnce(link: CountedLink, at: Date, takesTurn = true): Promise<CountsBefore | null> {
    return this.#immediate.count(link, at, takesTurn);
  }

  /** The next turn of an active link's rotation; null if the link is not active. */
  takeTurn(link: CountedLink, at: Date): Promise<Turn | null> {
    return this.#immediate.takeTurn(link, at);
  }

  /** Writes the clicks of a link that are not in the database yet, so that they count for its limit. */
  async settle(linkId: number): Promise<void> {
    if (this.#queue.hasClicks(linkId) || this.#batches.has(linkId)) await this.flush();
  }

  /** Writes all counted visits. After a failure, they are kept for the next write. */
  readonly flush = nextFlight(() => this.#write().finally(() => this.#pressure.ended()));

  async #write(): Promise<void> {
    const beganAt = performance.now();
    // Nobody waits for what has failed, until it is written.
    if (!this.#batches.isUnfinished) this.#pressure.began();
    // Visits that arrive during a write wait for the next one: otherwise this one would never end under load.
    const waiting = this.#queue.listLinks();
    const ids = waiting.values();
    const take = (links: number, parts: number) => this.#queue.take(links, ids, parts);
    while (await this.#batches.writeNext(take, (error) => this.#fail(error))) {
      this.#unwritable.ended();
      this.#queue.emptied();
      this.#pressure.wroteSlice();
    }
    if (this.#batches.isUnfinished) return;
    this.#pressure.wroteAll(waiting.length, performance.now() - beganAt);
    this.#writtenAt = beganAt;
  }

  #fail(error: unknown): void {
    this.#unwritable.occurred(error, () => ({ clicks: this.unwritten, seconds: this.behind }));
  }

  /** Starts the thread that writes, if there is one, and deletes old receipts. Call it when the process answers. */
  async load(): Promise<void> {
    await this.#batches.load();
    await deleteOldReceipts(this.#db).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'old receipts of clicks could not be deleted');
    });
  }

  start(): void {
    this.#timer = setInterval(() => this.flush(), WRITE_INTERVAL).unref();
  }

  /** Writes the remaining visits, and stops; waits only a few seconds for a database that writes nothing. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const writing = this.#writeAll();
    for (let before = -1; this.#isBehind && this.#batches.made > before; ) {
      before = this.#batches.made;
      await withTimeout(LAST_TIMEOUT, writing);
    }
    if (this.unwritten > 0) this.#log.error({ clicks: this.unwritten }, 'clicks were lost');
  }

  async #writeAll(): Promise<void> {
    await this.flush();
    while (this.#isBehind) {
      await setTimeout(LAST_RETRY_INTERVAL);
      await this.flush();
    }
  }

  /** The number of clicks that are not known to be written. */
  get unwritten(): number {
    return this.#queue.unwritten + this.#batches.unwritten;
  }

  get #isBehind(): boolean {
    return !this.#queue.isEmpty || !this.#batches.isEmpty;
  }

  /** For how many seconds visits have waited to be written; 0 if none waits. */
  get behind(): number {
    return this.#isBehind ? (performance.now() - this.#writtenAt) / 1000 : 0;
  }
}

import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Data } from '../db/database.ts';
import { DatabaseAway, isRefused } from '../engine/db/errors.ts';
import { RepeatedFault } from '../engine/tools/repeated-fault.ts';
import { nextFlight } from '../engine/tools/single-flight.ts';
import { withTimeout } from '../engine/tools/timeout.ts';
import { Turns } from '../engine/tools/turns.ts';
import type { Link } from '../generated/sqlite/client.ts';
import {
  type CountsBefore,
  countAtOnce,
  countWithoutStatistics,
  type Turn,
  takeTurn,
} from './count-at-once.ts';
import { divide } from './divide.ts';
import { type Bounds, PendingVisits, type Visit } from './pending-visits.ts';
import { type RefusalMetrics, RefusedVisits } from './refused-visits.ts';
import { MAX_PARTS, TooManyRows } from './rows.ts';
import { partsOf, unwrittenOf, type Visits } from './visits.ts';
import { deleteOldReceipts, type Receipt, VisitWriter } from './write.ts';

/** Milliseconds between two writes of clicks. */
const WRITE_INTERVAL = 500;
/**
 * A crash loses queued visits, including those that arrived during a write. Visits therefore wait for their answers
 * while the queue is longer than MAX_WRITE_TIME milliseconds of writing, at the speed of the last write. They never
 * wait for a queue of up to MIN_LINKS links.
 */
const MAX_WRITE_TIME = 450;
const MIN_LINKS = 1_000;
/** Milliseconds for which `stop` waits for a database that writes nothing, and between its attempts. */
const LAST_TIMEOUT = 5_000;
const LAST_RETRY_INTERVAL = 100;

/**
 * Sizes of transactions, in links and in their hours, values and visitors. Other writers of SQLite wait for the end of
 * a transaction; a server does better with larger ones. After `standstill` milliseconds without a commit, the database
 * counts as stuck, and visits no longer wait.
 */
const SLICES = {
  inProcess: { links: 500, parts: 1_000, standstill: 250 },
  server: { links: 500, parts: MAX_PARTS, standstill: 1_000 },
};
/** After how many refusals within a batch its values and visitors are no longer divided: each costs a transaction. */
const MAX_REFUSALS = 1_000;

/** Maximum number of visits of a link counted in the database at once, and milliseconds for which others wait. */
const MAX_AT_ONCE = 2;
const TURN_TIMEOUT = 1_000;

/** A link, and whose it is. */
type OfAccount = Pick<Link, 'id' | 'accountId'>;

/** Visits of one write. Retries use the same receipt, so that they count once. */
interface Batch {
  readonly receipt: Receipt;
  readonly visits: Visits;
}

interface ClickMetrics extends RefusalMetrics {
  click(): void;
  dropped(): void;
}

/**
 * Writes by a thread of its own on SQLite. In the main thread, writes would take half of the time and block all
 * responses.
 */
function writerFor(db: Data): Pick<VisitWriter, 'write'> {
  const { writeOnThread } = db.database;
  if (writeOnThread === undefined) return new VisitWriter(db, { limitsRows: true });
  return {
    async write(visits, receipt) {
      await writeOnThread('clicks/writer-thread', { visits, receipt });
    },
  };
}

/** Counts visits in memory, and writes them in batches. */
export class ClickBuffer {
  readonly #db: Data;
  readonly #log: Logger;
  readonly #unwritable: RepeatedFault;
  readonly #full: RepeatedFault;
  readonly #refused: RefusedVisits;
  readonly #processId = randomUUID();
  readonly #writer: Pick<VisitWriter, 'write'>;
  readonly #metrics: ClickMetrics | undefined;
  readonly #pending: PendingVisits;
  readonly #turns = new Turns<number>({
    maxOfOwner: () => MAX_AT_ONCE,
    timeout: TURN_TIMEOUT,
    refusal: () => new DatabaseAway('too many visits of the link wait for the database'),
  });
  /** Visits that are not counted yet. */
  #fresh: Visit[] = [];
  #batch: Batch | null = null;
  readonly #slices: typeof SLICES.server;
  /** Parts of a batch that the database has refused as a whole, the next one last. */
  #parts: Visits[] = [];
  #refusals = 0;
  /** Start of the last write that left nothing unwritten, by a monotonic clock. */
  #writtenAt = performance.now();
  #batches = 0;
  /** Links per millisecond of the last write. */
  #speed = 0;
  /** Start of the running write, or of its last slice; null if none runs. `#sliced` resolves with its next slice. */
  #wroteAt: number | null = null;
  #sliced = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param statistics whether statistics are counted, too
   * @param bounds of the waiting visits
   */
  constructor(
    db: Data,
    log: Logger,
    metrics?: ClickMetrics,
    statistics = true,
    bounds: Partial<Bounds> = {},
  ) {
    this.#db = db;
    this.#slices = db.dialect.runsInProcess ? SLICES.inProcess : SLICES.server;
    this.#log = log;
    this.#metrics = metrics;
    this.#unwritable = new RepeatedFault(log, 'clicks cannot be written');
    this.#full = new RepeatedFault(log, 'clicks are dropped, since those of too many links wait');
    this.#refused = new RefusedVisits(log, metrics);
    this.#writer = writerFor(db);
    this.#pending = new PendingVisits(statistics, bounds);
  }

  /** Counts a visit after its answer is sent, since parsing its properties takes longer than the answer. */
  add(visit: Visit): void {
    if (visit.visitor.counts) this.#metrics?.click();
    if (this.#fresh.push(visit) === 1) setImmediate(() => this.#take());
  }

  /** True if visits must wait for `caughtUp`. They do not wait for a database that is away. */
  get isBusy(): boolean {
    // The larger of both, not their sum: fresh visits may be of links that wait already.
    const links = Math.max(this.#pending.links, this.#fresh.length);
    if (links <= Math.max(MIN_LINKS, this.#speed * MAX_WRITE_TIME)) return false;
    if (this.#wroteAt === null) return this.#batch === null;
    return performance.now() - this.#wroteAt < this.#slices.standstill;
  }

  async caughtUp(): Promise<void> {
    this.flush();
    while (this.isBusy) await withTimeout(this.#slices.standstill, this.#sliced.promise);
  }

  #take(): void {
    const fresh = this.#fresh;
    if (fresh.length === 0) return;
    this.#fresh = [];
    for (const visit of fresh) {
      try {
        if (this.#pending.hasRoom(visit.link.id)) this.#pending.add(visit);
        else this.#drop(visit);
      } catch (error) {
        // `#pending.add` counts the click before it parses anything.
        this.#log.error({ err: error }, 'a visit was counted as a click, without statistics');
      }
    }
  }

  #drop({ visitor, alreadyCounted }: Visit): void {
    if (!visitor.counts || alreadyCounted !== null) return;
    this.#metrics?.dropped();
    this.#full.occurred(undefined, () => ({ waiting: this.#pending.links }));
  }

  /**
   * Counts a visit of an active link in the database, and in its hour and day unless the database refuses them. Call `add` with
   * the same visit then. Returns null if the link is not active.
   */
  countAtOnce(link: OfAccount, at: Date): Promise<CountsBefore | null> {
    return this.#inTurn(link, async () => {
      try {
        return await countAtOnce(this.#db, link.id, at);
      } catch (error) {
        if (!isRefused(error)) throw error;
        const before = await countWithoutStatistics(this.#db, link.id, at);
        if (before) this.#refused.addStatistics(link.id, error);
        return before;
      }
    });
  }

  /** The next turn of an active link's rotation; null if the link is not active. */
  takeTurn(link: OfAccount, at: Date): Promise<Turn | null> {
    return this.#inTurn(link, () => takeTurn(this.#db, link.id, at));
  }

  /** Visits of a link wait for one row: few of them in the database, each by a connection. On SQLite, they share one anyway. */
  #inTurn<T>({ id, accountId }: OfAccount, count: () => Promise<T>): Promise<T> {
    const { database, dialect } = this.#db;
    if (!dialect.hasConcurrentWriters) return count();
    return this.#turns.take(id, () => database.onBehalfOf(accountId, count));
  }

  /** Writes all counted visits. After a failure, they are kept for the next write. */
  readonly flush = nextFlight(() =>
    this.#write().finally(() => {
      this.#wroteAt = null;
    }),
  );

  /** Writes the clicks of a link that are not in the database yet, so that they count for its limit. */
  async settle(linkId: number): Promise<void> {
    this.#take();
    const isBeingWritten = this.#begun().some((visits) => visits.has(linkId));
    if (isBeingWritten || this.#pending.unwrittenOf(linkId) > 0) await this.flush();
  }

  async #write(): Promise<void> {
    const beganAt = performance.now();
    // Nobody waits for what has failed, until it is written.
    if (this.#batch === null) this.#wroteAt = beganAt;
    this.#take();
    // Visits that arrive during a write wait for the next one: otherwise this one would never end under load.
    const { ids: waiting } = this.#pending;
    const ids = waiting.values();
    // A batch that may have been committed is sent again unchanged, before any new visits.
    for (;;) {
      if (this.#batch === null && this.#parts.length === 0) {
        const taken = this.#pending.take(this.#slices.links, ids, this.#slices.parts);
        if (taken.size === 0) break;
        this.#parts.push(taken);
        this.#refusals = 0;
      }
      this.#batch ??= this.#nextBatch();
      const { visits, receipt } = this.#batch;
      try {
        await this.#writer.write(visits, receipt);
      } catch (error) {
        if (error instanceof TooManyRows) this.#parts.push(...divide(visits).reverse());
        else if (isRefused(error)) this.#divide(visits, error);
        else {
          this.#unwritable.occurred(error, () => ({ clicks: this.unwritten, seconds: this.behind }));
          return;
        }
      }
      this.#batch = null;
      this.#unwritable.ended();
      this.#full.ended();
      this.#wroteAt = performance.now();
      this.#sliced.resolve();
      this.#sliced = Promise.withResolvers();
    }
    if (waiting.length > 0) this.#speed = waiting.length / (performance.now() - beganAt);
    this.#writtenAt = beganAt;
  }

  /** Each part has a receipt of its own: of a refused batch, nothing was committed. */
  #nextBatch(): Batch {
    let visits = this.#parts.pop() ?? new Map();
    while (partsOf(visits) > MAX_PARTS) {
      const [first, ...others] = divide(visits);
      if (first === undefined) break;
      this.#parts.push(...others.reverse());
      visits = first;
    }
    return { visits, receipt: { processId: this.#processId, number: ++this.#batches } };
  }

  /** Replaces refused visits by their parts, or gives them up if they have none. */
  #divide(visits: Visits, error: unknown): void {
    const hasCounts = [...visits.values()].some(({ hours }) => hours.size > 0);
    const parts = hasCounts || ++this.#refusals <= MAX_REFUSALS ? divide(visits) : [];
    if (parts.length === 0) this.#refused.add(visits, error);
    this.#parts.push(...parts.reverse());
  }

  /** The visits that have left `#pending`, and are not known to be written. */
  #begun(): Visits[] {
    return this.#batch === null ? this.#parts : [this.#batch.visits, ...this.#parts];
  }

  start(): void {
    deleteOldReceipts(this.#db).catch((error: unknown) => {
      this.#log.warn({ err: error }, 'old receipts of clicks could not be deleted');
    });
    this.#timer = setInterval(() => this.flush(), WRITE_INTERVAL).unref();
  }

  /** Writes the remaining visits, and stops; waits only a few seconds for a database that writes nothing. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    const writing = this.#writeAll();
    for (let before = -1; this.#isBehind && this.#batches > before; ) {
      before = this.#batches;
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
    this.#take();
    let sum = this.#pending.unwritten;
    for (const visits of this.#begun()) for (const link of visits.values()) sum += unwrittenOf(link);
    return sum;
  }

  get #isBehind(): boolean {
    this.#take();
    return this.#pending.links > 0 || this.#begun().length > 0;
  }

  /** For how many seconds visits have waited to be written; 0 if none waits. */
  get behind(): number {
    return this.#isBehind ? (performance.now() - this.#writtenAt) / 1000 : 0;
  }
}

import type { Database } from '../db/database.ts';
import { nextFlight } from '../tools/single-flight.ts';
import { pauseIfBlocked } from '../tools/time-slices.ts';
import type { FoundChange } from './events.ts';
import { committedBetween, MAX_FOUND } from './log.ts';
import type { LogPages } from './log-pages.ts';
import type { LogPosition, LogSnapshot } from './transaction-order.ts';

/** Maximum number of an account's changes between two snapshots that are announced one by one. */
const MAX_NAMED = 10_000;

/** A snapshot, when it was asked for, and when the answer came, by `performance.now()`. */
interface Sight {
  readonly snapshot: LogSnapshot;
  readonly askedAt: number;
  readonly cameAt: number;
}

/** The changes that were committed between two snapshots, of which some are read. */
interface Stretch {
  readonly from: LogSnapshot;
  readonly to: Sight;
  /** The position of the last one that was read; null before the first. */
  after: LogPosition | null;
  /** The number of changes of each account. */
  readonly counts: Map<number, number>;
  /** Those that the next stretch has again. */
  readonly repeated: Set<number>;
}

/** Returns whether a change may have been committed between two snapshots. */
function mayFollow(before: LogSnapshot, now: LogSnapshot): boolean {
  return before.settled < before.next || before.next !== now.next || before.lastId !== now.lastId;
}

/**
 * Announces changes of other processes as soon as they are committed, in any order, as `change` events: for memories. It reads
 * from the log, page by page, what was committed between two snapshots. If a page fails, the next call goes on from there.
 */
export class LogFollower {
  /** The number of the last transaction before the changes that are announced; infinite before the first snapshot. */
  began = Number.POSITIVE_INFINITY;
  readonly #database: Database;
  readonly #pages: LogPages;
  #latest: Sight | null = null;
  /** The snapshot up to which all changes are announced. */
  #complete: Sight | null = null;
  #stretch: Stretch | null = null;
  /** Announced changes that the next stretch has again. */
  #repeated: ReadonlySet<number> = new Set();
  readonly #readOn = nextFlight(() => this.#readAll());

  constructor(database: Database, pages: LogPages) {
    this.#database = database;
    this.#pages = pages;
  }

  /** The last snapshot; null before the first. */
  get latest(): LogSnapshot | null {
    return this.#latest?.snapshot ?? null;
  }

  /** The last snapshot, if it has changes that are not announced; else null. */
  get unread(): Sight | null {
    return this.#latest === this.#complete ? null : this.#latest;
  }

  /** Time at which the last completely announced snapshot was asked for. */
  get completeAt(): number {
    return this.#complete?.askedAt ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * Announces the changes up to a snapshot, in the background. Resolves when that is done.
   * @param snapshot not older than that of the last call
   */
  follow(snapshot: LogSnapshot, askedAt: number): Promise<void> {
    const before = this.#latest;
    const isSame = before !== null && !mayFollow(before.snapshot, snapshot);
    const wasComplete = before === this.#complete;
    this.#latest = { snapshot, askedAt, cameAt: isSame ? before.cameAt : performance.now() };
    if (before === null) this.began = snapshot.next - 1;
    if (before === null || (isSame && wasComplete)) this.#complete = this.#latest;
    return this.unread === null ? Promise.resolve() : this.#readOn();
  }

  async #readAll(): Promise<void> {
    for (;;) {
      const [from, to] = [this.#complete, this.#latest];
      if (from === null || to === null || from === to) return;
      if (this.#stretch !== null || mayFollow(from.snapshot, to.snapshot)) {
        const empty = { after: null, counts: new Map(), repeated: new Set<number>() };
        this.#stretch ??= { from: from.snapshot, to, ...empty };
        await this.#read(this.#stretch);
        if (this.#pages.stopped) return;
        this.#repeated = this.#stretch.repeated;
      }
      this.#complete = this.#stretch?.to ?? to;
      this.#stretch = null;
    }
  }

  /** Reads the rest of a stretch. */
  async #read(stretch: Stretch): Promise<void> {
    const { from, to } = stretch;
    while (!this.#pages.stopped) {
      const found = await this.#pages.read(() =>
        committedBetween(this.#database, from, to.snapshot, stretch.after),
      );
      for (const change of found) {
        stretch.after = change;
        this.#announce(change, stretch);
      }
      if (found.length < MAX_FOUND) return;
      await pauseIfBlocked();
    }
  }

  #announce(change: FoundChange, { to: { snapshot }, counts, repeated }: Stretch): void {
    const { changes, product } = this.#database;
    const { id, tx, accountId } = change;
    if (snapshot.isStandby && tx >= snapshot.settled) repeated.add(id);
    if (this.#repeated.has(id) || changes.wasOwn(id)) return;
    const count = accountId === null ? 0 : (counts.get(accountId) ?? 0) + 1;
    if (accountId !== null) counts.set(accountId, count);
    if (accountId !== null && count === MAX_NAMED + 1) changes.emit('many', accountId, snapshot.next - 1);
    if (count <= MAX_NAMED || !product.bulkKinds.has(change.kind)) changes.found(change);
  }
}

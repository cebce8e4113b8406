import { pauseIfBlocked } from '../../shared/time-slices.ts';
import type { Data } from '../database.ts';
import type { LoggedChange } from './events.ts';
import { type LogPosition, MAX_READ, newSince, positionOf, settledAfter } from './log.ts';
import type { LogSnapshot } from './transaction-order.ts';

export interface ChangeListener {
  /** A change, as soon as it is committed; once, and in any order. */
  onChange?(change: LoggedChange): void;
  /** A change, once its order is final: once, and in order. */
  onSettled?(change: LoggedChange): void;
  /** Whether it needs settled changes at the moment. If no listener does, they are not read; by default it always does. */
  needsSettled?(): boolean;
}

/** Whether a change may have been committed between two snapshots. */
function mayFollow(before: LogSnapshot, now: LogSnapshot): boolean {
  return before.open.length > 0 || before.next !== now.next || before.lastId !== now.lastId;
}

/** Follows the log of changes, starting at its end at the first read. */
export class ChangeFeed {
  readonly #db: Data;
  readonly #listeners = new Set<ChangeListener>();
  /** Which transactions had ended at the last read. */
  #seen: LogSnapshot | null = null;
  /** Changes that the last read announced: the next read may find some of them again. */
  #announced = new Set<number>();
  /** Changes after this position are not announced as settled yet. It never goes back. */
  #position: LogPosition | null = null;
  #latest: LogSnapshot | null = null;
  /** The snapshot up to which all settled changes were announced. */
  #done: LogSnapshot | null = null;
  #settling = false;
  #run = 0;

  constructor(db: Data) {
    this.#db = db;
  }

  /** Returns a function that removes the listener. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get isNeeded(): boolean {
    return [...this.#listeners].some(
      ({ onSettled, needsSettled }) => onSettled !== undefined && needsSettled?.() !== false,
    );
  }

  /** Whether changes are announced from now on. */
  get hasBegun(): boolean {
    return this.#seen !== null;
  }

  /** The position up to which settled changes were announced. */
  get position(): LogPosition | null {
    return this.#position;
  }

  #advance(to: LogPosition): void {
    const from = this.#position ?? to;
    if (to.tx > from.tx || (to.tx === from.tx && to.id >= from.id)) this.#position = to;
  }

  /**
   * Announces changes since the last call. An earlier call that is still running announces nothing more.
   * @param now a snapshot that is not older than that of the last call
   */
  async read(now: LogSnapshot): Promise<void> {
    const run = ++this.#run;
    const before = this.#seen;
    const announced = new Set<number>();
    if (before !== null && mayFollow(before, now)) {
      for await (const change of newSince(this.#db, before)) {
        if (run !== this.#run) return;
        announced.add(change.id);
        if (!this.#announced.has(change.id))
          for (const listener of this.#listeners) listener.onChange?.(change);
      }
    }
    if (run !== this.#run) return;
    this.#seen = now;
    this.#announced = announced;
    this.#position ??= positionOf(now);
    this.#latest = now;
    // A long batch must not delay this.
    this.#settle().catch(() => {
      // The next read tries again.
    });
  }

  async #settle(): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    try {
      for (;;) {
        const [position, latest] = [this.#position, this.#latest];
        if (position === null || latest === null) return;
        if (this.#done?.settled === latest.settled && this.#done.lastId === latest.lastId) return;
        if (!this.isNeeded) {
          this.#advance(positionOf(latest));
          this.#done = latest;
          return;
        }
        const changes = await settledAfter(this.#db, position, latest);
        for (const change of changes) {
          this.#position = { tx: change.tx, id: change.id };
          for (const listener of this.#listeners) listener.onSettled?.(change);
        }
        if (changes.length < MAX_READ) this.#done = latest;
        await pauseIfBlocked();
      }
    } finally {
      this.#settling = false;
    }
  }
}

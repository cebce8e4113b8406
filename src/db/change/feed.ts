import type { Db } from '../connection/client.ts';
import { type LoggedChange, newSince, type Place, placeOf, type Seen, seenNow, settledAfter } from './log.ts';

/** Who hears of changes, as they are found. */
export interface ChangeListener {
  /** A change, as soon as it is committed; once, and in any order. */
  onChange?(change: LoggedChange): void;
  /** The same when nothing can come before it any more: once, and in order. */
  onSettled?(change: LoggedChange): void;
  /** Settles when there is room for more, or soon. */
  hasRoom?(): Promise<void>;
}

/** Follows the log of changes from where it ends when it is first read. */
export class ChangeFeed {
  readonly #db: Db;
  readonly #listeners = new Set<ChangeListener>();
  /** Which transactions had ended when it was last read. */
  #seen: Seen | null = null;
  /** What was told of by the last read: some of it may be found once more. */
  #told = new Set<number>();
  /** After which everything is still to be told of as settled. */
  #place: Place | null = null;
  #latest: Seen | null = null;
  #settling = false;
  #run = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Returns what ends it. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells of what came since it was last called. A call that has not ended yet tells of nothing any more. */
  async read(): Promise<void> {
    const run = ++this.#run;
    const now = await seenNow(this.#db);
    const before = this.#seen;
    const told = new Set<number>();
    if (before !== null) {
      for await (const change of newSince(this.#db, before)) {
        if (run !== this.#run) return;
        told.add(change.id);
        if (!this.#told.has(change.id)) for (const listener of this.#listeners) listener.onChange?.(change);
      }
    }
    if (run !== this.#run) return;
    this.#seen = now;
    this.#told = told;
    this.#place ??= placeOf(now);
    this.#latest = now;
    // Whoever takes long to hear of it keeps nobody else waiting.
    this.#settle().catch(() => {
      // It is told of after the next read.
    });
  }

  /** Tells in order of what nothing can come before any more. */
  async #settle(): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    try {
      for (;;) {
        const [place, latest] = [this.#place, this.#latest];
        if (place === null || latest === null) return;
        const changes = await settledAfter(this.#db, place, latest);
        for (const change of changes) {
          this.#place = { tx: change.tx, id: change.id };
          for (const listener of this.#listeners) listener.onSettled?.(change);
        }
        if (changes.length === 0 && latest === this.#latest) return;
        await Promise.all([...this.#listeners].map((listener) => listener.hasRoom?.()));
      }
    } finally {
      this.#settling = false;
    }
  }
}

import { changesAfter, endOfLog, type LoggedChange, type Place } from './changes.ts';
import type { Db } from './client.ts';

/** How many changes are read by one statement. */
const READ_TOGETHER = 1_000;

/** Who hears of changes, as they are found. */
export interface ChangeListener {
  /** A change, as soon as it is committed; once, and in any order. */
  onChange?(change: LoggedChange): void;
  /** The same when nothing can come before it any more: once, and in order. */
  onSettled?(change: LoggedChange): void;
}

/** Follows the log of changes from where it ends when it is first read. */
export class ChangeFeed {
  readonly #db: Db;
  readonly #listeners = new Set<ChangeListener>();
  /** After which everything is still to be told of as settled. */
  #place: Place | null = null;
  /** What is told of already, though something may still come before it. */
  #early = new Set<number>();
  #run = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Returns what ends it. */
  listen(listener: ChangeListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads what came since it was last called. A call that has not ended yet tells of nothing any more. */
  async read(): Promise<void> {
    const run = ++this.#run;
    const end = this.#place ?? (await endOfLog(this.#db));
    if (run !== this.#run) return;
    this.#place = end;
    const early = new Set<number>();
    let from = this.#place;
    for (;;) {
      const changes = await changesAfter(this.#db, from, READ_TOGETHER);
      if (run !== this.#run) return;
      for (const { settled, ...change } of changes) {
        const { tx, id } = change;
        from = { tx, id };
        if (!this.#early.has(id)) for (const listener of this.#listeners) listener.onChange?.(change);
        if (settled) {
          this.#place = from;
          for (const listener of this.#listeners) listener.onSettled?.(change);
        } else early.add(id);
      }
      if (changes.length < READ_TOGETHER) break;
    }
    this.#early = early;
  }
}

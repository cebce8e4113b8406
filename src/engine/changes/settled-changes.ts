import type { Database } from '../db/database.ts';
import { pauseIfBlocked } from '../tools/time-slices.ts';
import { findLogEnd, MAX_READ, settledAfter } from './log.ts';
import type { LogPages } from './log-pages.ts';
import { isAfter, type LogPosition, type LogSnapshot } from './transaction-order.ts';

/**
 * Announces changes once their order is final, in that order, as `settled` events: for subscriptions and webhooks. A change is
 * settled when no earlier transaction is open. Without listeners nothing is read, and the position moves to the end of the log.
 */
export class SettledChanges {
  readonly #database: Database;
  readonly #pages: LogPages;
  #latest: LogSnapshot | null = null;
  /** Changes after this position are not announced yet. It never goes back. */
  #position: LogPosition | null = null;
  /** The snapshot up to which all settled changes were announced. */
  #complete: LogSnapshot | null = null;
  #reading = false;

  constructor(database: Database, pages: LogPages) {
    this.#database = database;
    this.#pages = pages;
  }

  /** The position up to which changes were announced; null before the first snapshot. */
  get position(): LogPosition | null {
    return this.#position;
  }

  /**
   * Announces the changes that a snapshot settles, in the background.
   * @param snapshot not older than that of the last call
   */
  follow(snapshot: LogSnapshot): void {
    this.#latest = snapshot;
    this.#position ??= findLogEnd(snapshot);
    this.#readAll().catch(() => {
      // The next call tries again.
    });
  }

  async #readAll(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    try {
      for (;;) {
        const [position, latest] = [this.#position, this.#latest];
        if (position === null || latest === null || this.#pages.stopped) return;
        if (this.#complete?.settled === latest.settled && this.#complete.lastId === latest.lastId) return;
        if (!this.#database.changes.isSettledAwaited) {
          this.#advance(findLogEnd(latest));
          this.#complete = latest;
          return;
        }
        const changes = await this.#pages.read(() => settledAfter(this.#database, position, latest));
        for (const change of changes) {
          this.#position = { tx: change.tx, id: change.id };
          this.#database.changes.emit('settled', change);
        }
        if (changes.length < MAX_READ) this.#complete = latest;
        await pauseIfBlocked();
      }
    } finally {
      this.#reading = false;
    }
  }

  #advance(to: LogPosition): void {
    if (this.#position === null || isAfter(to, this.#position)) this.#position = to;
  }
}

import type { Db } from '../../db/connection/client.ts';
import { type Outcome, writeOutcomes } from '../../db/webhook/deliveries.ts';

/** Writes what attempts came to. What comes while a write is on its way is written together by the next one. */
export class Outcomes {
  readonly #db: Db;
  #waiting: Outcome[] = [];
  #next: Promise<void> | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Settles when it is written. */
  write(outcome: Outcome): Promise<void> {
    this.#waiting.push(outcome);
    this.#next ??= this.#last.then(() => {
      const together = this.#waiting;
      this.#waiting = [];
      this.#next = null;
      const written = writeOutcomes(this.#db, together);
      // Whoever waits for these hears of a failure; those after them have a write of their own.
      this.#last = written.catch(() => {});
      return written;
    });
    return this.#next;
  }
}

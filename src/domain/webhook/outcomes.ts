import type { Data } from '../../db/database.ts';
import { type Outcome, writeOutcomes } from '../../db/webhook/outcomes.ts';

/** Writes the results of attempts. Results that arrive during a write are batched into the next one. */
export class Outcomes {
  readonly #db: Data;
  #waiting: Outcome[] = [];
  #next: Promise<void> | null = null;
  #last: Promise<void> = Promise.resolve();

  constructor(db: Data) {
    this.#db = db;
  }

  /** Resolves when it is written. */
  write(outcome: Outcome): Promise<void> {
    this.#waiting.push(outcome);
    this.#next ??= this.#last.then(() => {
      const together = this.#waiting;
      this.#waiting = [];
      this.#next = null;
      const written = writeOutcomes(this.#db, together);
      // The callers of this write get its error; the next write does not depend on it.
      this.#last = written.catch(() => {});
      return written;
    });
    return this.#next;
  }
}

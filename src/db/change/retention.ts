import type { Logger } from 'pino';
import type { Db } from '../connection/db.ts';
import { Retention } from '../retention.ts';
import { deleteOldChanges } from './log.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Deletes changes that are older than a number of days. */
export class ChangeRetention extends Retention {
  readonly #db: Db;
  readonly #days: number;
  readonly #now: () => Date;

  /** @param days 0 keeps all */
  constructor(db: Db, days: number, now: () => Date, log: Logger) {
    super(log, { what: 'changes', every: 60 * 60 * 1000, pause: 100 });
    this.#db = db;
    this.#days = days;
    this.#now = now;
  }

  override async deleteOld(): Promise<void> {
    if (this.#days === 0) return;
    const before = new Date(this.#now().getTime() - this.#days * DAY_MS);
    await this.untilNone(() => deleteOldChanges(this.#db, before));
  }
}

import type { Logger } from 'pino';
import type { Db } from './connection/db.ts';
import { deleteOldAnswers } from './idempotency-answers.ts';
import { Retention } from './retention.ts';

/** Deletes expired answers. */
export class AnswerRetention extends Retention {
  readonly #db: Db;
  readonly #keptFor: number;
  readonly #now: () => Date;

  /** @param keptFor in milliseconds */
  constructor(db: Db, keptFor: number, now: () => Date, log: Logger) {
    super(log, { what: 'answers', every: 10 * 60 * 1000, pause: 100 });
    this.#db = db;
    this.#keptFor = keptFor;
    this.#now = now;
  }

  override async deleteOld(): Promise<void> {
    const before = new Date(this.#now().getTime() - this.#keptFor);
    await this.untilNone(() => deleteOldAnswers(this.#db, before));
  }
}

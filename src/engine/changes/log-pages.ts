import { AnswerWatch } from '../db/answer-watch.ts';
import { DatabaseAway } from '../db/errors.ts';
import { TIMED_OUT, withTimeout } from '../tools/timeout.ts';

/** Milliseconds for which the database may take for a page of the log before another connection is used. */
const PAGE_TIMEOUT = 5_000;

/**
 * The reads of pages of the log, which the follower and the settled changes share. Each page has a time limit. The class measures
 * for how long the database has answered none, and knows when no further page is wanted.
 */
export class LogPages {
  readonly #answers = new AnswerWatch();
  #stopped = false;

  /** True if no further page is wanted. */
  get stopped(): boolean {
    return this.#stopped;
  }

  /** For how many milliseconds the database has answered no question for a page. */
  get unansweredFor(): number {
    return this.#answers.unansweredFor;
  }

  /** Reads one page. @throws DatabaseAway if it takes too long: the connection may be broken, and the next page gets another one */
  read<T>(page: () => Promise<T>): Promise<T> {
    return this.#answers.ask(async () => {
      const found = await withTimeout(PAGE_TIMEOUT, page());
      if (found === TIMED_OUT) throw new DatabaseAway('the database did not answer in time');
      return found;
    });
  }

  /** Keeps further pages from being read. */
  stop(): void {
    this.#stopped = true;
  }
}

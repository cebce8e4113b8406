import { DatabaseAway, isUnavailable } from './errors.ts';

/** For how long a database that counts as ready may leave questions unanswered, in milliseconds. */
const LIMIT = 5_000;

/** Measures for how long questions of one kind, such as writes to a database, have been unanswered. */
export class AnswerWatch {
  #waiting = 0;
  /**
   * Time of the first question after the last answer; the time of that answer, if others waited then. Null without any.
   */
  #since: number | null = null;
  #answeredAt = Number.NEGATIVE_INFINITY;

  /** For how many milliseconds no question was answered; 0 if there was none since the last answer. */
  get unansweredFor(): number {
    return this.#since === null ? 0 : performance.now() - this.#since;
  }

  /** Milliseconds since the last answer. */
  get quietFor(): number {
    return performance.now() - this.#answeredAt;
  }

  /** Asks a question. An error is an answer, too, unless it says that the database is not available. */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    this.#since ??= performance.now();
    this.#waiting++;
    try {
      const answer = await question();
      this.#answered();
      return answer;
    } catch (error) {
      if (!isUnavailable(error)) this.#answered();
      throw error;
    } finally {
      this.#waiting--;
    }
  }

  #answered(): void {
    this.#answeredAt = performance.now();
    this.#since = this.#waiting > 1 ? this.#answeredAt : null;
  }
}

/**
 * Requires that a database answers questions.
 * @param unansweredFor for how many milliseconds it has not
 * @throws DatabaseAway if that is too long
 */
export function requireAnswers(unansweredFor: number, questions: string): void {
  if (unansweredFor > LIMIT)
    throw new DatabaseAway(`${questions}: no answer for ${Math.round(unansweredFor / 1_000)} s`);
}

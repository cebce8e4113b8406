import { AnswerWatch } from '../db/answer-watch.ts';
import type { Database } from '../db/database.ts';
import { DatabaseAway } from '../db/errors.ts';
import { TIMED_OUT, withTimeout } from '../tools/timeout.ts';
import { type Revisions, readRevisions } from './log.ts';

/** Milliseconds for which an answer stays valid, so that changes take effect within a second everywhere. */
export const MAX_AGE = 900;
/** Milliseconds between two polls. */
export const POLL_INTERVAL = 400;
/** Milliseconds for which a caller that prefers stale data, and any other, waits for an answer. */
export const FRESH_TIMEOUT = 200;
const REQUEST_TIMEOUT = 2_000;
/** Milliseconds in which callers join a question. An older one's answer may be too old, and its connection broken. */
const JOINED_FOR = 1_000;
/** Number of unanswered questions from which the next ones are asked more rarely. */
const MAX_OPEN = 3;

/** A question for the number of keys and a snapshot. */
interface Question {
  readonly number: number;
  readonly askedAt: number;
  /** Resolves for those who wait for the answer; rejects if it takes too long. */
  readonly confirmed: Promise<void>;
  answer(): void;
}

interface PollListener {
  /** Called with each answer, unless that of a later question came before. */
  onAnswer(revisions: Revisions, askedAt: number): void;
  /** Called when a question fails, or takes too long. */
  onFailure(error: unknown): void;
  /** Resolves when the changes up to the last answer are announced, or cannot be read. */
  whenAnnounced(): Promise<void>;
}

function notInTime(): DatabaseAway {
  return new DatabaseAway('the database did not answer in time');
}

/**
 * Asks the database whether anything has changed, once for all callers within JOINED_FOR. After that a new question is asked,
 * on another connection; an old one's answer still counts if none to a later one came. Data is fresh for MAX_AGE from the
 * question. The database is away once a question failed or took too long, for callers that prefer stale data already after
 * FRESH_TIMEOUT.
 */
export class Poll {
  readonly #database: Database;
  readonly #listener: PollListener;
  /** Time at which the last answer's question was asked. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** The last question, until it is answered, fails or takes too long. */
  #question: Question | null = null;
  /** All questions that the database has not answered, also those that nobody waits for any more. */
  readonly #open = new Set<Question>();
  #questions = 0;
  /** The number of the last question that was answered. */
  #answered = 0;
  readonly #answers = new AnswerWatch();
  /** True if the last question failed or took too long. */
  #away = false;
  /** Until when callers that prefer stale data do not wait for a database that has just failed. */
  #pausedUntil = 0;

  constructor(database: Database, listener: PollListener) {
    this.#database = database;
    this.#listener = listener;
  }

  /** True if the database does not answer, so that cached data may be older than a second. */
  get away(): boolean {
    return this.#away;
  }

  /** For how many milliseconds the database has answered no question. */
  get unansweredFor(): number {
    return this.#answers.unansweredFor;
  }

  /** True if the last answer's question was asked less than a second ago. */
  get isFresh(): boolean {
    return performance.now() - this.#confirmedAt <= MAX_AGE;
  }

  /**
   * Asks only if no answer is fresh. It waits neither for longer than the timeout, nor while the database is down. It also waits
   * until the changes are announced: after a few, no cached record has to be read again.
   * @param timeout maximum number of milliseconds to wait
   */
  async freshIfAvailable(timeout: number): Promise<void> {
    if (this.isFresh || (this.#away && performance.now() < this.#pausedUntil)) return;
    const read = this.confirm().then(
      () => this.#listener.whenAnnounced(),
      () => {},
    );
    if (this.#away) return;
    if ((await withTimeout(timeout, read)) === TIMED_OUT && !this.isFresh && timeout >= FRESH_TIMEOUT)
      this.#away = true;
  }

  /**
   * Asks, or joins the question that was just asked.
   * @throws DatabaseAway if the database does not answer in time, or the database's own error
   */
  async confirm(): Promise<void> {
    const age =
      this.#question === null ? Number.POSITIVE_INFINITY : performance.now() - this.#question.askedAt;
    if (this.#question !== null && age < JOINED_FOR) return this.#question.confirmed;
    // Each of them occupies a connection.
    if (this.#open.size >= MAX_OPEN && age < REQUEST_TIMEOUT) throw notInTime();
    // The answer serves all accounts.
    this.#question = this.#database.onBehalfOf(undefined, () => this.#ask());
    return this.#question.confirmed;
  }

  /** Asks as `confirm` does, without waiting. */
  askSoon(): void {
    this.confirm().catch(() => {
      // The next request asks again, and gets the error.
    });
  }

  /** Resolves when nobody waits for an answer any more. */
  async whenIdle(): Promise<void> {
    await this.#question?.confirmed.catch(() => {});
  }

  #ask(): Question {
    const answered = Promise.withResolvers<void>();
    const confirmed = withTimeout(REQUEST_TIMEOUT, answered.promise)
      .then((answer) => {
        // If a connection hangs, the next question uses another one.
        if (answer === TIMED_OUT) throw notInTime();
      })
      .catch((error: unknown) => {
        this.#away = true;
        this.#pausedUntil = performance.now() + POLL_INTERVAL;
        this.#listener.onFailure(error);
        throw error;
      })
      .finally(() => {
        if (this.#question === question) this.#question = null;
      });
    const question: Question = {
      ...{ number: ++this.#questions, askedAt: performance.now() },
      ...{ answer: answered.resolve, confirmed },
    };
    this.#open.add(question);
    this.#answers
      .ask(() => readRevisions(this.#database))
      .then((revisions) => this.#answer(question, revisions))
      .catch(answered.reject)
      .finally(() => this.#open.delete(question));
    return question;
  }

  #answer({ number, askedAt }: Question, revisions: Revisions): void {
    // A later question was answered before.
    if (number < this.#answered) return;
    this.#answered = number;
    this.#confirmedAt = askedAt;
    this.#away = false;
    // Who waits for an earlier one has a newer answer.
    for (const question of this.#open) if (question.number <= number) question.answer();
    this.#listener.onAnswer(revisions, askedAt);
  }
}

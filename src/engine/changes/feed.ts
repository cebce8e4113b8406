import { randomUUID } from 'node:crypto';
import { AnswerWatch } from '../db/answer-watch.ts';
import type { Database } from '../db/database.ts';
import { DatabaseAway } from '../db/errors.ts';
import { Notifications } from '../db/postgresql/notifications.ts';
import type { ReadServer } from '../db/postgresql/read-server.ts';
import { TIMED_OUT, withTimeout } from '../tools/timeout.ts';
import { readRevisions } from './log.ts';
import { LogFollower } from './log-follower.ts';
import type { LogPosition, LogSnapshot } from './transaction-order.ts';

/** Milliseconds for which a poll stays valid, so that changes take effect within a second everywhere. */
const MAX_AGE = 900;
const POLL_INTERVAL = 400;
/** Milliseconds for which a caller that prefers stale data, and any other, waits for an answer. */
export const FRESH_TIMEOUT = 200;
const REQUEST_TIMEOUT = 2_000;
/** Milliseconds in which callers join a question. An older one's answer may be too old, and its connection broken. */
const JOINED_FOR = 1_000;
/** Number of unanswered questions from which the next ones are asked more rarely. */
const MAX_OPEN = 3;

/** The minimum time between two notifications to other processes, in milliseconds. */
const HINT_INTERVAL = 250;

/** A question for the number of keys and a snapshot. */
interface Question {
  readonly number: number;
  readonly askedAt: number;
  /** Resolves for those who wait for the answer; rejects if it takes too long. */
  readonly confirmed: Promise<void>;
  answer(): void;
}

function notInTime(): DatabaseAway {
  return new DatabaseAway('the database did not answer in time');
}

/**
 * Finds changes for the events of a database: of keys by a number that a trigger increments, of records by the log of
 * changes, from its end at the first poll. Both are polled. On PostgreSQL a notification starts the next poll at once; behind
 * a connection pooler without notifications, polling alone is fast enough. Those of records are sent after the commit, at a
 * limited rate: inside, all transactions would wait for each other at commit. Keys change rarely, so a trigger sends theirs.
 */
export class ChangeFeed {
  readonly #database: Database;
  readonly #server: ReadServer | undefined;
  readonly #notifications: Notifications | null;
  /** Sent with notifications: this process knows of its own changes already. */
  readonly #self = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #hint: NodeJS.Timeout | undefined;
  #hintedAt = Number.NEGATIVE_INFINITY;
  readonly #hintOthers = () => this.#hintSoon();

  /** Time at which the last answer's question was asked. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** The last question, until it is answered, fails or takes too long. */
  #question: Question | null = null;
  /** All questions that the database has not answered, also those that nobody waits for any more. */
  readonly #open = new Set<Question>();
  #questions = 0;
  readonly #answers = new AnswerWatch();
  /** The number of the last question that was answered. */
  #answered = 0;
  /** True if the last question failed or took too long. */
  #away = false;
  /** Until when callers that prefer stale data do not wait for a database that has just failed. */
  #pausedUntil = 0;

  /** The number of changes of keys. */
  #keys: number | undefined;
  readonly #log: LogFollower;
  /** Resolves when the changes up to the last answer are announced, or cannot be read. */
  #reading: Promise<void> = Promise.resolve();

  /** @param server what is told of its answers, if it is a replica: one has no notifications, and does not know all open transactions */
  constructor(database: Database, server?: ReadServer) {
    this.#database = database;
    this.#log = new LogFollower(database);
    this.#server = server;
    this.#notifications =
      database.provider === 'postgresql' && server === undefined
        ? new Notifications(database, database.product.channel, {
            onNotification: (from) => {
              if (from !== this.#self || this.#isSettledNeeded) this.#pollSoon();
            },
          })
        : null;
  }

  /** Polls in the background, so that a request after a pause need not wait, and tells other processes of changes here. */
  start(): void {
    this.#timer = setInterval(() => this.#pollSoon(), POLL_INTERVAL).unref();
    if (this.#server) this.#pollSoon();
    this.#notifications?.start();
    this.#database.changes.on('own', this.#hintOthers);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#hint);
    this.#database.changes.off('own', this.#hintOthers);
    this.#log.stop();
    await Promise.allSettled([this.#notifications?.stop(), this.#question?.confirmed]);
  }

  /** True if the database does not answer, so that cached data may be older than a second. */
  get away(): boolean {
    return this.#away;
  }

  /** For how many milliseconds the database has answered no question for changes. */
  get unansweredFor(): number {
    return Math.max(this.#answers.unansweredFor, this.#log.unansweredFor);
  }

  /** True if the last answer's question was asked less than a second ago. */
  get isFresh(): boolean {
    return performance.now() - this.#confirmedAt <= MAX_AGE;
  }

  /**
   * Records that were read before this time, by `performance.now()`, may lack changes from more than a second ago: those that are not
   * announced yet.
   */
  get staleBefore(): number {
    const { unread, completeAt } = this.#log;
    if (unread === null || performance.now() - completeAt <= MAX_AGE) return Number.NEGATIVE_INFINITY;
    return unread.cameAt;
  }

  /** The number of the last transaction whose changes may not be announced yet, although it is known; 0 if there is none. */
  get unreadUpTo(): number {
    const { unread } = this.#log;
    return unread === null ? 0 : unread.snapshot.next - 1;
  }

  /** The number of the last transaction before the changes that are announced; infinite before the first answer. */
  get began(): number {
    return this.#log.began;
  }

  /** True if changes are announced from now on. */
  get hasBegun(): boolean {
    return this.#log.latest !== null;
  }

  /**
   * The database had all transactions with smaller numbers at the last answer. A replica that is no standby counts its own
   * transactions, not the primary's.
   */
  get settled(): number {
    return this.#server?.isStandby === false ? 0 : (this.#log.latest?.settled ?? 0);
  }

  /** The position up to which settled changes were announced. */
  get position(): LogPosition | null {
    return this.#log.position;
  }

  get #isSettledNeeded(): boolean {
    return this.#database.changes.listenerCount('settled') > 0;
  }

  /**
   * Makes sure that the last answer was asked for less than a second ago.
   * @throws DatabaseAway if the database does not answer in time, or the database's own error
   */
  async fresh(): Promise<void> {
    if (!this.isFresh) await this.confirm();
  }

  /**
   * Refreshes as `fresh` does, for callers that prefer stale data to an error. It does not wait while the database is
   * down. It also waits for pages of the log: after a few, no cached record has to be read again.
   * @param timeout maximum number of milliseconds to wait
   */
  async freshIfAvailable(timeout = FRESH_TIMEOUT): Promise<void> {
    if (this.isFresh || (this.#away && performance.now() < this.#pausedUntil)) return;
    const read = this.confirm().then(
      () => this.#reading,
      () => {},
    );
    if (this.#away) return;
    if ((await withTimeout(timeout, read)) === TIMED_OUT && !this.isFresh && timeout >= FRESH_TIMEOUT)
      this.#away = true;
  }

  /**
   * Asks for the number of keys and a snapshot, once for all callers. The pages of the log that follow are read in the background.
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
        this.#server?.failed(error);
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

  #answer({ number, askedAt }: Question, { keys, now }: Awaited<ReturnType<typeof readRevisions>>): void {
    // A later question was answered before.
    if (number < this.#answered) return;
    this.#answered = number;
    this.#confirmedAt = askedAt;
    this.#away = false;
    this.#server?.answered(now.isStandby);
    // Who waits for an earlier one has a newer answer.
    for (const question of this.#open) if (question.number <= number) question.answer();
    if (this.#keys !== keys) {
      this.#keys = keys;
      this.#database.changes.emit('keys', keys ?? 0);
    }
    this.#reading = this.read(now, askedAt).catch(() => {
      // The next answer has the rest read.
    });
  }

  /** Announces the changes up to a snapshot, which is not older than that of the last call; resolves when that is done. */
  read(now: LogSnapshot, askedAt = performance.now()): Promise<void> {
    return this.#log.follow(now, askedAt);
  }

  #pollSoon(): void {
    this.confirm().catch(() => {
      // The next request asks again, and gets the error.
    });
  }

  /** Makes the other processes poll soon, and this one if settled changes are needed. */
  #hintSoon(): void {
    if (this.#hint !== undefined) return;
    const wait = Math.max(0, this.#hintedAt + HINT_INTERVAL - performance.now());
    this.#hint = setTimeout(() => {
      this.#hint = undefined;
      this.#hintedAt = performance.now();
      if (this.#notifications !== null) this.#notifications.notify(this.#self).catch(() => {});
      else if (this.#isSettledNeeded) this.#pollSoon();
    }, wait).unref();
  }
}

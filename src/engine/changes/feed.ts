import type { Database } from '../db/database.ts';
import type { ReadServer } from '../db/postgresql/read-server.ts';
import type { Revisions } from './log.ts';
import { LogFollower } from './log-follower.ts';
import { LogPages } from './log-pages.ts';
import { ChangeNotices } from './notices.ts';
import { FRESH_TIMEOUT, MAX_AGE, POLL_INTERVAL, Poll } from './poll.ts';
import { SettledChanges } from './settled-changes.ts';
import type { LogPosition, LogSnapshot } from './transaction-order.ts';

/**
 * Finds the changes in a database, and announces them by `database.changes`: those of keys by a number that a trigger
 * increments, those of records from the log, from its end at the first poll. `Poll` asks whether there are any,
 * `ChangeNotices` tells other processes and hears of them, `LogFollower` announces `change` and `many`, and `SettledChanges`
 * announces `settled`.
 */
export class ChangeFeed {
  readonly #database: Database;
  readonly #server: ReadServer | undefined;
  readonly #poll: Poll;
  readonly #notices: ChangeNotices;
  readonly #pages = new LogPages();
  readonly #log: LogFollower;
  readonly #settled: SettledChanges;
  #timer: NodeJS.Timeout | undefined;
  /** The number of changes of keys. */
  #keys: number | undefined;
  /** Resolves when the changes up to the last answer are announced, or cannot be read. */
  #reading: Promise<void> = Promise.resolve();

  /** @param server what is told of its answers, if it is a replica: one has no notifications, and does not know all open transactions */
  constructor(database: Database, server?: ReadServer) {
    this.#database = database;
    this.#server = server;
    this.#log = new LogFollower(database, this.#pages);
    this.#settled = new SettledChanges(database, this.#pages);
    this.#poll = new Poll(database, {
      onAnswer: (revisions, askedAt) => this.#answered(revisions, askedAt),
      onFailure: (error) => server?.failed(error),
      whenAnnounced: () => this.#reading,
    });
    this.#notices = new ChangeNotices(database, server !== undefined, () => this.#poll.askSoon());
  }

  /** Polls in the background, so that a request after a pause need not wait, and tells other processes of changes here. */
  start(): void {
    this.#timer = setInterval(() => this.#poll.askSoon(), POLL_INTERVAL).unref();
    if (this.#server) this.#poll.askSoon();
    this.#notices.start();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#pages.stop();
    await Promise.allSettled([this.#notices.stop(), this.#poll.whenIdle()]);
  }

  /** True if the database does not answer, so that cached data may be older than a second. */
  get away(): boolean {
    return this.#poll.away;
  }

  /** For how many milliseconds the database has answered no question for changes. */
  get unansweredFor(): number {
    return Math.max(this.#poll.unansweredFor, this.#pages.unansweredFor);
  }

  /** True if the last answer's question was asked less than a second ago. */
  get isFresh(): boolean {
    return this.#poll.isFresh;
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
    return this.#settled.position;
  }

  /**
   * Makes sure that the last answer was asked for less than a second ago.
   * @throws DatabaseAway if the database does not answer in time, or the database's own error
   */
  async fresh(): Promise<void> {
    if (!this.#poll.isFresh) await this.#poll.confirm();
  }

  /**
   * Refreshes as `fresh` does, for callers that prefer stale data to an error. It does not wait while the database is
   * down. It also waits for pages of the log: after a few, no cached record has to be read again.
   * @param timeout maximum number of milliseconds to wait
   */
  freshIfAvailable(timeout = FRESH_TIMEOUT): Promise<void> {
    return this.#poll.freshIfAvailable(timeout);
  }

  /**
   * Polls once for all callers. The pages of the log that follow are read in the background.
   * @throws DatabaseAway if the database does not answer in time, or the database's own error
   */
  confirm(): Promise<void> {
    return this.#poll.confirm();
  }

  #answered({ keys, now }: Revisions, askedAt: number): void {
    this.#server?.answered(now.isStandby);
    if (this.#keys !== keys) {
      this.#keys = keys;
      this.#database.changes.emit('keys', keys ?? 0);
    }
    this.#reading = this.read(now, askedAt).catch(() => {
      // The next answer has the rest read.
    });
  }

  /**
   * Announces the changes up to a snapshot, which is not older than that of the last call; resolves when those
   * of `LogFollower` are announced. Settled ones follow in the background.
   */
  read(now: LogSnapshot, askedAt = performance.now()): Promise<void> {
    this.#settled.follow(now);
    return this.#log.follow(now, askedAt);
  }
}

import { randomUUID } from 'node:crypto';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import type { Database } from '../database.ts';
import { DatabaseAway } from '../errors.ts';
import { Notifications } from '../postgresql/notifications.ts';
import { ChangeFeed } from './feed.ts';
import { readRevisions } from './log.ts';

/** How long a poll stays valid, in milliseconds: changes take effect within a second everywhere. */
const MAX_AGE = 900;
const POLL_INTERVAL = 400;
/** How long a visit, and any other request, waits for a poll, in milliseconds. */
const VISIT_TIMEOUT = 200;
const REQUEST_TIMEOUT = 2_000;
/** The channel on which a trigger notifies of each revision. */
const CHANNEL = 'linkspace';

/** The minimum time between two notifications to other processes, in milliseconds. */
const HINT_INTERVAL = 250;

/**
 * Detects changes of what processes cache: of keys by a number that a trigger increments, of records by the log of changes.
 * Both are polled. On PostgreSQL a notification starts the next poll at once; behind a connection pooler without
 * notifications, polling alone is fast enough. Notifications are sent outside of transactions, at a limited rate: inside, all
 * transactions would wait for each other at commit.
 */
export class Revisions {
  readonly #database: Database;
  /** The log of changes, read with each poll. */
  readonly feed: ChangeFeed;
  #hint: NodeJS.Timeout | undefined;
  #hintedAt = Number.NEGATIVE_INFINITY;
  readonly #watchers = new Map<string, (() => void)[]>();
  readonly #numbers = new Map<string, number>();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #confirming: Promise<void> | null = null;
  /** Whether the last poll failed or took too long. */
  #away = false;
  /** The numbers of the last poll, and of the last one that was answered. */
  #polls = 0;
  #answered = 0;
  /** Until when visits do not wait for a database that has just failed. */
  #pausedUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #notifications: Notifications | null;
  /** Sent with notifications: the link cache knows of its own process's changes already. */
  readonly #self = randomUUID();

  constructor(database: Database) {
    this.#database = database;
    this.feed = new ChangeFeed(database);
    this.#notifications =
      database.provider === 'postgresql'
        ? new Notifications(database.directUrl, CHANNEL, {
            onNotification: (from) => {
              if (from !== this.#self || this.feed.isNeeded) this.#pollSoon();
            },
          })
        : null;
  }

  /** Calls `onChange` when the topic's number changes, and when it is first read. */
  watch(topic: string, onChange: () => void): void {
    this.#watchers.set(topic, [...(this.#watchers.get(topic) ?? []), onChange]);
  }

  /** The topic's last known number; null before the first poll. */
  numberOf(topic: string): number | null {
    return this.#numbers.get(topic) ?? null;
  }

  /** Whether the database does not answer, so that cached data may be older than a second. */
  get away(): boolean {
    return this.#away;
  }

  /** Whether the last poll is less than a second old. */
  get isFresh(): boolean {
    return performance.now() - this.#confirmedAt <= MAX_AGE;
  }

  /**
   * Makes sure that the last poll is less than a second old.
   * @throws DatabaseAway if the database does not answer in time, or the database's own error
   */
  async fresh(): Promise<void> {
    if (this.isFresh) return;
    await this.confirm();
  }

  /** The same, for callers that prefer stale data to an error. Does not wait while the database is down. */
  async freshIfAvailable(): Promise<void> {
    if (this.isFresh || (this.#away && performance.now() < this.#pausedUntil)) return;
    const confirmed = this.confirm().catch(() => {});
    if (this.#away) return;
    if ((await withTimeout(VISIT_TIMEOUT, confirmed)) === TIMED_OUT) this.#away = true;
  }

  /** Polls once for all callers; its age counts from before the query, not from the answer. */
  confirm(): Promise<void> {
    this.#confirming ??= (async () => {
      const askedAt = performance.now();
      // If a connection hangs, the next query uses another one.
      if ((await withTimeout(REQUEST_TIMEOUT, this.#poll())) === TIMED_OUT)
        throw new DatabaseAway('the database did not answer in time');
      this.#confirmedAt = askedAt;
      this.#away = false;
    })()
      .catch((error: unknown) => {
        this.#away = true;
        this.#pausedUntil = performance.now() + POLL_INTERVAL;
        throw error;
      })
      .finally(() => {
        this.#confirming = null;
      });
    return this.#confirming;
  }

  async #poll(): Promise<void> {
    const poll = ++this.#polls;
    const { revisions, now } = await readRevisions(this.#database);
    // A later poll has answered before this one.
    if (poll < this.#answered) return;
    this.#answered = poll;
    for (const { topic, number } of revisions) {
      if (this.#numbers.get(topic) === number) continue;
      this.#numbers.set(topic, number);
      for (const onChange of this.#watchers.get(topic) ?? []) onChange();
    }
    await this.feed.read(now);
  }

  /** Polls in the background, so that a request after a pause need not wait for a poll. */
  start(): void {
    this.#timer = setInterval(() => this.#pollSoon(), POLL_INTERVAL).unref();
    this.#notifications?.start();
  }

  /** Makes the other processes poll soon, and this one if it has listeners that need it. */
  changed(): void {
    if (this.#hint !== undefined || this.#timer === undefined) return;
    const wait = Math.max(0, this.#hintedAt + HINT_INTERVAL - performance.now());
    this.#hint = setTimeout(() => {
      this.#hint = undefined;
      this.#hintedAt = performance.now();
      if (this.#notifications !== null) this.#notifications.notify(this.#self).catch(() => {});
      else if (this.feed.isNeeded) this.#pollSoon();
    }, wait).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#hint);
    this.#timer = undefined;
    await Promise.allSettled([this.#notifications?.stop(), this.#confirming]);
  }

  #pollSoon(): void {
    this.confirm().catch(() => {
      // The next request polls again, and gets the error.
    });
  }
}

import { LATE, within } from '../../within.ts';
import type { Database } from '../connection/client.ts';
import { DatabaseAway } from '../connection/errors.ts';
import { ChangeFeed } from './feed.ts';
import { Notifications } from './notifications.ts';

/** How old the knowledge of what has changed may be, in milliseconds: a change counts within a second everywhere. */
const TRUSTED_FOR = 900;
/** How often it is renewed while nobody waits for it, in milliseconds. */
const RENEWED_EVERY = 400;
/** How long a visit waits to learn whether something has changed, and any other request, in milliseconds. */
const VISIT_TIMEOUT = 200;
const REQUEST_TIMEOUT = 2_000;
/** The channel on which a trigger notifies of each revision. */
const CHANNEL = 'linkspace';

/** How often other processes are told to look at once, in milliseconds. */
const HINTED_EVERY = 250;

/**
 * Knows when something that processes keep in memory has changed: of keys by a number that a trigger raises with every change,
 * of records by the log of changes. Both are polled. On PostgreSQL a notification makes the next poll come at once; where a
 * connection pooler forbids those, polling alone keeps the promise. It is sent beside the transactions, and seldom: sent
 * within, it would have all of them wait for each other as they commit.
 */
export class Revisions {
  readonly #database: Database;
  /** The log of changes, as it is followed with each poll. */
  readonly feed: ChangeFeed;
  #hint: NodeJS.Timeout | undefined;
  #hintedAt = Number.NEGATIVE_INFINITY;
  readonly #watchers = new Map<string, (() => void)[]>();
  readonly #numbers = new Map<string, number>();
  #confirmedAt = Number.NEGATIVE_INFINITY;
  #confirming: Promise<void> | null = null;
  /** Whether the database did not answer when it was last asked, or has not answered for too long. */
  #away = false;
  /** Until when visits do not ask a database that has just refused to answer. */
  #restsUntil = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #notifications: Notifications | null;

  constructor(database: Database) {
    this.#database = database;
    this.feed = new ChangeFeed(database.client);
    this.#notifications =
      database.provider === 'postgresql'
        ? new Notifications(database.directUrl, CHANNEL, { onNotification: () => this.#renew() })
        : null;
  }

  /** Calls back when the topic's number is not the one that was known, the first time included. */
  watch(topic: string, onChange: () => void): void {
    this.#watchers.set(topic, [...(this.#watchers.get(topic) ?? []), onChange]);
  }

  /** The topic's number as it was last seen; null before it was. */
  numberOf(topic: string): number | null {
    return this.#numbers.get(topic) ?? null;
  }

  /** Whether the database does not answer, so that what is remembered may be older than a second. */
  get away(): boolean {
    return this.#away;
  }

  /** Whether what is known is less than a second old. */
  get isFresh(): boolean {
    return performance.now() - this.#confirmedAt <= TRUSTED_FOR;
  }

  /**
   * Makes sure that what is known is less than a second old.
   * @throws DatabaseAway where the database does not say so soon; what it says where it cannot be asked
   */
  async fresh(): Promise<void> {
    if (this.isFresh) return;
    await this.confirm();
  }

  /** The same, for who is better served with what is remembered than not at all. Of a database that is away nobody waits. */
  async freshOrAway(): Promise<void> {
    if (this.isFresh || (this.#away && performance.now() < this.#restsUntil)) return;
    const confirmed = this.confirm().catch(() => {});
    if (this.#away) return;
    if ((await within(VISIT_TIMEOUT, confirmed)) === LATE) this.#away = true;
  }

  /** Asks once for all who wait; the age counts from before the question, never from the answer. */
  confirm(): Promise<void> {
    this.#confirming ??= (async () => {
      const askedAt = performance.now();
      // Where a connection went dark, the next question goes by another one.
      if ((await within(REQUEST_TIMEOUT, this.#look())) === LATE)
        throw new DatabaseAway('the database did not answer in time');
      this.#confirmedAt = askedAt;
      this.#away = false;
    })()
      .catch((error: unknown) => {
        this.#away = true;
        this.#restsUntil = performance.now() + RENEWED_EVERY;
        throw error;
      })
      .finally(() => {
        this.#confirming = null;
      });
    return this.#confirming;
  }

  async #look(): Promise<void> {
    for (const { topic, number } of await this.#database.client.revision.findMany()) {
      if (this.#numbers.get(topic) === number) continue;
      this.#numbers.set(topic, number);
      for (const onChange of this.#watchers.get(topic) ?? []) onChange();
    }
    await this.feed.read();
  }

  /** Renews the knowledge in the background, so that a request after a pause need not wait for it. */
  start(): void {
    this.#timer = setInterval(() => this.#renew(), RENEWED_EVERY).unref();
    this.#notifications?.start();
  }

  /** Has this process, and before long the others, look at what has changed. */
  changed(): void {
    if (this.#hint !== undefined || this.#timer === undefined) return;
    const wait = Math.max(0, this.#hintedAt + HINTED_EVERY - performance.now());
    this.#hint = setTimeout(() => {
      this.#hint = undefined;
      this.#hintedAt = performance.now();
      if (this.#notifications === null) this.#renew();
      else this.#notifications.notify().catch(() => {});
    }, wait).unref();
  }

  /** Ends the background work. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    clearTimeout(this.#hint);
    this.#timer = undefined;
    await Promise.allSettled([this.#notifications?.stop(), this.#confirming]);
  }

  #renew(): void {
    this.confirm().catch(() => {
      // Whoever needs to know asks again, and hears of the failure.
    });
  }
}

import type { LoggedChange } from '../../db/change/events.ts';
import type { ChangeFeed } from '../../db/change/feed.ts';
import { type LogPosition, MAX_READ, readLogSnapshot, settledBetween } from '../../db/change/log.ts';
import type { Database } from '../../db/database.ts';
import { DatabaseAway } from '../../db/errors.ts';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import type { Actor } from '../access/actor.ts';
import { DomainError } from '../errors.ts';
import type { ChangeFilter } from './list.ts';
import { type LogRead, RETRY_AFTER, Subscription } from './subscription-queue.ts';

/** The maximum number of subscriptions of one key, and of the process: each keeps a connection open. */
const MAX_OF_KEY = 10;
const MAX_SUBSCRIPTIONS = 200;
/** How long a new subscription may wait for the database, in milliseconds. */
const BEGIN_TIMEOUT = 2_000;

/** Subscriptions to the changes of all processes: in order, each exactly once. */
export class ChangeSubscriptions {
  readonly #db: Database;
  readonly #feed: ChangeFeed;
  readonly #now: () => Date;
  readonly #all = new Set<Subscription>();
  #stopped = false;
  readonly #push = (change: LoggedChange) => {
    for (const subscription of this.#all) subscription.push(change);
  };

  constructor(db: Database, feed: ChangeFeed, now: () => Date) {
    this.#db = db;
    this.#now = now;
    this.#feed = feed;
  }

  /** Reads the account's changes after the position, up to those that were announced when this was called. */
  async #readLog(accountId: number, after: LogPosition): Promise<LogRead> {
    const announced = this.#feed.position ?? after;
    const changes = await settledBetween(this.#db, accountId, after, announced);
    const last = changes.at(-1);
    if (last && changes.length === MAX_READ) return { changes, reached: last, isComplete: false };
    return { changes, reached: announced, isComplete: true };
  }

  /** @throws DomainError RATE_LIMITED, UNAVAILABLE */
  #requireRoom({ keyId }: Actor): void {
    const refuse = (code: 'RATE_LIMITED' | 'UNAVAILABLE', message: string): never => {
      throw new DomainError(code, message, [], RETRY_AFTER);
    };
    if (this.#stopped) refuse('UNAVAILABLE', 'The service is stopping. Try again shortly.');
    const own = [...this.#all].filter(({ options }) => options.actor.keyId === keyId).length;
    if (own >= MAX_OF_KEY) refuse('RATE_LIMITED', `The key may have ${MAX_OF_KEY} subscriptions at once.`);
    if (this.#all.size >= MAX_SUBSCRIPTIONS) refuse('RATE_LIMITED', 'There are too many subscriptions.');
  }

  /**
   * The account's changes from now on. If too many wait to be read, the last value is an error.
   * @param onClosed calls its listener when the client leaves or its key is no longer valid, which may be before this returns
   * @throws DomainError RATE_LIMITED for too many subscriptions, UNAVAILABLE if the service is stopping
   * @throws DatabaseAway if the database does not answer in time
   */
  async subscribe(
    actor: Actor,
    filter: ChangeFilter,
    onClosed: (listener: () => void) => void,
  ): Promise<AsyncIterableIterator<LoggedChange | DomainError>> {
    this.#requireRoom(actor);
    const subscription = new Subscription({
      actor,
      filter,
      readLog: (after) => this.#readLog(actor.accountId, after),
      onEnd: (ended) => {
        this.#all.delete(ended);
        if (this.#all.size === 0) this.#db.changes.off('settled', this.#push);
      },
      now: this.#now,
    });
    if (this.#all.size === 0) this.#db.changes.on('settled', this.#push);
    this.#all.add(subscription);
    onClosed(() => subscription.end());
    try {
      const now = await withTimeout(BEGIN_TIMEOUT, readLogSnapshot(this.#db));
      if (now === TIMED_OUT) throw new DatabaseAway('the database did not answer in time');
      subscription.begin(now);
    } catch (error) {
      subscription.end();
      throw error;
    }
    return subscription;
  }

  /** Ends all subscriptions, and refuses new ones. */
  stop(): void {
    this.#stopped = true;
    for (const one of this.#all) one.end();
  }
}

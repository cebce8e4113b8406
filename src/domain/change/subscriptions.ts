import type { LoggedChange } from '../../db/change/events.ts';
import type { ChangeFeed } from '../../db/change/feed.ts';
import {
  type LogPosition,
  MAX_READ,
  positionOf,
  readLogSnapshot,
  settledBetween,
  wasCommitted,
} from '../../db/change/log.ts';
import type { LogSnapshot } from '../../db/change/transaction-order.ts';
import type { Database } from '../../db/database.ts';
import { DatabaseAway } from '../../db/errors.ts';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import type { Actor } from '../access/actor.ts';
import { DomainError, visibleError } from '../errors.ts';
import { type ChangeFilter, matchesFilter } from './find-changes.ts';

/** A subscriber of whose changes more wait than this, and that takes none for so many milliseconds, is ended. */
const MAX_WAITING = 250;
const STALL_TIMEOUT = 10_000;
/** When to try again after a refusal, in seconds. */
const RETRY_AFTER = 10;

interface SubscriptionOptions {
  readonly db: Database;
  readonly feed: ChangeFeed;
  readonly actor: Actor;
  readonly filter: ChangeFilter;
  onEnd(subscription: Subscription): void;
  now(): Date;
}

/** The place in the log that one subscriber has reached: it reads on when it is ready, so a slow one delays no other. */
class Subscription {
  readonly options: SubscriptionOptions;
  /** Changes before this snapshot are not sent; null until it is known. */
  #began: LogSnapshot | null = null;
  #position: LogPosition = { tx: 0, id: 0 };
  /** How many of its changes were announced since the last read; the first read may find some. */
  #unread = 1;
  #takenAt: Date;
  #error: DomainError | null = null;
  #ended = false;
  #wake = () => {};

  constructor(options: SubscriptionOptions) {
    this.options = options;
    this.#takenAt = options.now();
  }

  #wants(change: LoggedChange): boolean {
    const { actor, filter } = this.options;
    if (change.accountId !== actor.accountId || !matchesFilter(filter, change)) return false;
    return this.#began === null || !wasCommitted(this.#began, change);
  }

  /** Call it for each settled change, in order. */
  announce(change: LoggedChange): void {
    if (!this.#wants(change)) {
      if (this.#unread === 0) this.#position = change;
      return;
    }
    this.#unread++;
    const stalled = this.options.now().getTime() - this.#takenAt.getTime() > STALL_TIMEOUT;
    if (stalled && this.#unread > MAX_WAITING) {
      const message = 'The changes come faster than they are read.';
      this.#error = new DomainError('UNAVAILABLE', message, [], RETRY_AFTER);
      this.end();
    }
    this.#wake();
  }

  /** Ends the subscription after the announced changes are read. */
  end(): void {
    this.#ended = true;
    this.options.onEnd(this);
    this.#wake();
  }

  /** Its changes since the snapshot; the last value is the error that ended it, if there is one. */
  async *changes(began: LogSnapshot): AsyncGenerator<LoggedChange | DomainError, undefined> {
    this.#began = began;
    this.#position = positionOf(began);
    try {
      while (this.#error === null && (await this.#hasUnread()))
        for (const change of await this.#read()) {
          if (this.#wants(change)) yield change;
          this.#takenAt = this.options.now();
        }
      if (this.#error !== null) yield this.#error;
    } catch (error) {
      const visible = visibleError(error);
      if (visible === null) throw error;
      yield visible;
    } finally {
      this.end();
    }
  }

  /** Waits for changes; false if it has ended, and there are none. */
  async #hasUnread(): Promise<boolean> {
    while (this.#unread === 0 && !this.#ended) {
      this.#takenAt = this.options.now();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#unread > 0;
  }

  /** Reads the account's next changes, up to those that are announced. */
  async #read(): Promise<LoggedChange[]> {
    const { db, feed, actor } = this.options;
    const announced = feed.position ?? this.#position;
    const unread = this.#unread;
    this.#unread = 0;
    const changes = await settledBetween(db, actor.accountId, this.#position, announced);
    const isAll = changes.length < MAX_READ;
    this.#position = (isAll ? null : changes.at(-1)) ?? announced;
    if (!isAll) this.#unread += Math.max(1, unread - changes.length);
    return changes;
  }
}

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
  readonly #announce = (change: LoggedChange) => {
    for (const subscription of this.#all) subscription.announce(change);
  };

  constructor(db: Database, feed: ChangeFeed, now: () => Date) {
    this.#db = db;
    this.#now = now;
    this.#feed = feed;
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
      db: this.#db,
      feed: this.#feed,
      actor,
      filter,
      onEnd: (ended) => {
        this.#all.delete(ended);
        if (this.#all.size === 0) this.#db.changes.off('settled', this.#announce);
      },
      now: this.#now,
    });
    if (this.#all.size === 0) this.#db.changes.on('settled', this.#announce);
    this.#all.add(subscription);
    onClosed(() => subscription.end());
    try {
      const now = await withTimeout(BEGIN_TIMEOUT, readLogSnapshot(this.#db));
      if (now === TIMED_OUT) throw new DatabaseAway('the database did not answer in time');
      return subscription.changes(now);
    } catch (error) {
      subscription.end();
      throw error;
    }
  }

  /** Ends all subscriptions, and refuses new ones. */
  stop(): void {
    this.#stopped = true;
    for (const one of this.#all) one.end();
  }
}

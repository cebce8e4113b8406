import type { ChangeFeed } from '../../db/change/feed.ts';
import {
  type LoggedChange,
  type LogPosition,
  MAX_READ,
  readLogSnapshot,
  settledBetween,
  wasCommitted,
} from '../../db/change/log.ts';
import type { LogSnapshot } from '../../db/change/transaction-order.ts';
import type { Db } from '../../db/connection/db.ts';
import { DatabaseAway } from '../../db/connection/errors.ts';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import type { Actor } from '../access/actor.ts';
import { DomainError, visibleError } from '../errors.ts';
import { type ChangeFilter, matchesFilter } from './list.ts';

/** The maximum number of subscriptions of one key, and of the process: each keeps a connection open. */
const MAX_OF_KEY = 10;
const MAX_SUBSCRIPTIONS = 200;
/** How many changes are kept for a subscriber; it reads further ones from the log when it has taken these. */
const MAX_WAITING = 250;
/** After how many milliseconds a subscriber that takes none of them is given up, if there are further ones. */
const STALL_TIMEOUT = 10_000;
/** How long a new subscription may wait for the database, in milliseconds. */
const BEGIN_TIMEOUT = 2_000;
/** When to try again after a refusal, in seconds. */
const RETRY_AFTER = 10;

/** What a subscriber that was behind has read from the log. */
interface ReadOn {
  readonly changes: readonly LoggedChange[];
  /** The position up to which these are all of the account's changes. */
  readonly reached: LogPosition;
  /** Whether that is the position up to which changes were announced when the reading began. */
  readonly isComplete: boolean;
}

interface SubscriptionOptions {
  readonly actor: Actor;
  readonly filter: ChangeFilter;
  readOn(after: LogPosition): Promise<ReadOn>;
  onEnd(subscription: Subscription): void;
  now(): Date;
}

/** One subscriber's queue of changes. It delays no other subscriber: what it is too slow for, it reads later from the log. */
class Subscription implements AsyncIterableIterator<LoggedChange | DomainError, undefined> {
  readonly options: SubscriptionOptions;
  readonly #waiting: LoggedChange[] = [];
  /** Why it ended; it follows the waiting changes. */
  #error: DomainError | null = null;
  /** Changes before this snapshot are not sent; null until it is known. */
  #began: LogSnapshot | null = null;
  /** The position of the last change that was taken from the log; null if it takes them as they are announced. */
  #behind: LogPosition | null = null;
  /** Changes that were announced while it reads on; null if it does not, or if there are too many. */
  #meanwhile: LoggedChange[] | null = null;
  #readAt: Date;
  #wake: (() => void) | null = null;
  #ended = false;

  constructor(options: SubscriptionOptions) {
    this.options = options;
    this.#readAt = options.now();
  }

  /** Removes the changes from before the snapshot. The log's readers may find them only now. */
  begin(now: LogSnapshot): void {
    this.#began = now;
    const rest = this.#waiting.filter((change) => !wasCommitted(now, change));
    this.#waiting.splice(0, Number.POSITIVE_INFINITY, ...rest);
  }

  #wants(change: LoggedChange): boolean {
    const { actor, filter } = this.options;
    if (change.accountId !== actor.accountId || !matchesFilter(filter, change)) return false;
    return this.#began === null || !wasCommitted(this.#began, change);
  }

  push(change: LoggedChange): void {
    if (!this.#wants(change)) return;
    const last = this.#waiting.at(-1);
    if (this.#behind === null && this.#waiting.length >= MAX_WAITING && last)
      this.#behind = { tx: last.tx, id: last.id };
    if (this.#behind === null) this.#waiting.push(change);
    else if (this.#meanwhile !== null && this.#meanwhile.length < MAX_WAITING) this.#meanwhile.push(change);
    else this.#miss();
    this.#wake?.();
  }

  /** It reads the change later from the log, unless it takes none for long. */
  #miss(): void {
    this.#meanwhile = null;
    if (this.options.now().getTime() - this.#readAt.getTime() > STALL_TIMEOUT) {
      const why = 'The changes come faster than they are read.';
      this.#fail(new DomainError('UNAVAILABLE', why, [], RETRY_AFTER));
    }
  }

  #fail(error: DomainError): void {
    this.#error = error;
    this.end();
  }

  /** Ends the subscription after the waiting changes are read. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.options.onEnd(this);
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<LoggedChange | DomainError, undefined>> {
    for (;;) {
      this.#readAt = this.options.now();
      const value = this.#waiting.shift() ?? this.#error;
      if (value === this.#error) this.#error = null;
      if (value !== null) return { value, done: false };
      if (this.#ended) return { value: undefined, done: true };
      if (this.#behind !== null)
        await this.#catchUp(this.#behind).catch((error: unknown) => {
          const visible = visibleError(error);
          if (visible === null) throw error;
          this.#fail(visible);
        });
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }

  async #catchUp(behind: LogPosition): Promise<void> {
    this.#meanwhile = [];
    const { changes, reached, isComplete } = await this.options.readOn(behind);
    if (this.#ended) return;
    this.#waiting.push(...changes.filter((change) => this.#wants(change)));
    this.#behind = reached;
    if (isComplete && this.#meanwhile !== null) {
      this.#waiting.push(...this.#meanwhile);
      this.#behind = null;
    }
    this.#meanwhile = null;
  }

  async return(): Promise<IteratorResult<LoggedChange | DomainError, undefined>> {
    this.#waiting.length = 0;
    this.#error = null;
    this.end();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Subscriptions to the changes of all processes: in order, each exactly once. */
export class ChangeSubscriptions {
  readonly #db: Db;
  readonly #feed: ChangeFeed;
  readonly #now: () => Date;
  readonly #all = new Set<Subscription>();
  #stopped = false;

  constructor(db: Db, feed: ChangeFeed, now: () => Date) {
    this.#db = db;
    this.#now = now;
    this.#feed = feed;
    feed.listen({
      onSettled: (change) => {
        for (const subscription of this.#all) subscription.push(change);
      },
      needsSettled: () => this.#all.size > 0,
    });
  }

  /** Reads the account's changes after the position, up to those that were announced when this was called. */
  async #readOn(accountId: number, after: LogPosition): Promise<ReadOn> {
    const announced = this.#feed.position ?? after;
    const changes = await settledBetween(this.#db, accountId, after, announced);
    const last = changes.at(-1);
    if (last && changes.length === MAX_READ) return { changes, reached: last, isComplete: false };
    return { changes, reached: announced, isComplete: true };
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
    if (this.#stopped)
      throw new DomainError('UNAVAILABLE', 'The service is stopping. Try again shortly.', [], RETRY_AFTER);
    const own = [...this.#all].filter((one) => one.options.actor.keyId === actor.keyId).length;
    if (own >= MAX_OF_KEY)
      throw new DomainError(
        'RATE_LIMITED',
        `The key may have ${MAX_OF_KEY} subscriptions at once.`,
        [],
        RETRY_AFTER,
      );
    if (this.#all.size >= MAX_SUBSCRIPTIONS)
      throw new DomainError('RATE_LIMITED', 'There are too many subscriptions.', [], RETRY_AFTER);
    const subscription = new Subscription({
      actor,
      filter,
      readOn: (after) => this.#readOn(actor.accountId, after),
      onEnd: (ended) => this.#all.delete(ended),
      now: this.#now,
    });
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

import { setTimeout } from 'node:timers/promises';
import type { ChangeFeed } from '../../db/change/feed.ts';
import { type LoggedChange, type LogSnapshot, readLogSnapshot, wasCommitted } from '../../db/change/log.ts';
import type { Db } from '../../db/connection/db.ts';
import { DatabaseAway } from '../../db/connection/errors.ts';
import { LATE, within } from '../../within.ts';
import type { Actor } from '../access/actor.ts';
import { validKeys } from '../access/api-key.ts';
import { DomainError } from '../errors.ts';
import { type ChangeFilter, matchesFilter } from './list.ts';

/** The maximum number of subscriptions of one key, and of the process: each keeps a connection open. */
const MAX_OF_KEY = 10;
const MAX_SUBSCRIPTIONS = 200;
/** How many changes may wait for a subscriber that does not read. */
const MAX_WAITING = 1_000;
/** How long a slow subscriber may delay the others, and how often it is checked, in milliseconds. */
const SLOW_TIMEOUT = 1_000;
const LOOKED_AT_EVERY = 5;
/** How often keys are checked for expiry and revocation, in milliseconds. */
const KEYS_CHECKED_EVERY = 5_000;
/** How long a new subscription may wait for the database, in milliseconds. */
const BEGINS_WITHIN = 2_000;
/** When to try again after a refusal, in seconds. */
const RETRY_AFTER = 10;

/** One subscriber's queue of changes. */
class Subscription implements AsyncIterableIterator<LoggedChange | DomainError, undefined> {
  readonly actor: Actor;
  readonly #filter: ChangeFilter;
  readonly #onEnd: (subscription: Subscription) => void;
  readonly #waiting: (LoggedChange | DomainError)[] = [];
  /** Changes before this snapshot are not sent; null until it is known. */
  #began: LogSnapshot | null = null;
  #wake: (() => void) | null = null;
  #ended = false;

  constructor(actor: Actor, filter: ChangeFilter, onEnd: (subscription: Subscription) => void) {
    this.actor = actor;
    this.#filter = filter;
    this.#onEnd = onEnd;
  }

  /** How many changes wait to be read. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Removes the changes from before the snapshot. The log's readers may find them only now. */
  begin(now: LogSnapshot): void {
    this.#began = now;
    const rest = this.#waiting.filter((one) => one instanceof DomainError || !wasCommitted(now, one));
    this.#waiting.splice(0, Number.POSITIVE_INFINITY, ...rest);
  }

  push(change: LoggedChange): void {
    if (change.accountId !== this.actor.accountId || !matchesFilter(this.#filter, change)) return;
    if (this.#began !== null && wasCommitted(this.#began, change)) return;
    this.#waiting.push(change);
    if (this.#waiting.length > MAX_WAITING) {
      const why = 'The changes come faster than they are read.';
      this.#waiting.push(new DomainError('UNAVAILABLE', why, [], RETRY_AFTER));
      this.end();
    }
    this.#wake?.();
  }

  /** Ends the subscription after the waiting changes are read. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd(this);
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<LoggedChange | DomainError, undefined>> {
    for (;;) {
      const value = this.#waiting.shift();
      if (value !== undefined) return { value, done: false };
      if (this.#ended) return { value: undefined, done: true };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async return(): Promise<IteratorResult<LoggedChange | DomainError, undefined>> {
    this.#waiting.length = 0;
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
  readonly #now: () => Date;
  readonly #all = new Set<Subscription>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(db: Db, feed: ChangeFeed, now: () => Date) {
    this.#db = db;
    this.#now = now;
    feed.listen({
      onSettled: (change) => {
        for (const subscription of this.#all) subscription.push(change);
      },
      needsSettled: () => this.#all.size > 0,
      hasRoom: () => this.#room(),
    });
  }

  /**
   * The account's changes from now on. If too many wait to be read, the last value is an error.
   * @param onClosed calls its listener when the client leaves, which may be before this returns
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
    const own = [...this.#all].filter((one) => one.actor.keyId === actor.keyId).length;
    if (own >= MAX_OF_KEY)
      throw new DomainError(
        'RATE_LIMITED',
        `The key may have ${MAX_OF_KEY} subscriptions at once.`,
        [],
        RETRY_AFTER,
      );
    if (this.#all.size >= MAX_SUBSCRIPTIONS)
      throw new DomainError('RATE_LIMITED', 'There are too many subscriptions.', [], RETRY_AFTER);
    const subscription = new Subscription(actor, filter, (ended) => this.#all.delete(ended));
    this.#all.add(subscription);
    onClosed(() => subscription.end());
    try {
      const now = await within(BEGINS_WITHIN, readLogSnapshot(this.#db));
      if (now === LATE) throw new DatabaseAway('the database did not answer in time');
      subscription.begin(now);
    } catch (error) {
      subscription.end();
      throw error;
    }
    return subscription;
  }

  /** Waits until all subscribers have read most of their changes, but at most a second. */
  async #room(): Promise<void> {
    const deadline = performance.now() + SLOW_TIMEOUT;
    while (performance.now() < deadline && [...this.#all].some(({ waiting }) => waiting > MAX_WAITING / 4))
      await setTimeout(LOOKED_AT_EVERY);
  }

  /** Ends the subscriptions of keys that are revoked, expired or deleted. */
  async checkKeys(): Promise<void> {
    const ids = [...new Set([...this.#all].map(({ actor }) => actor.keyId))];
    if (ids.length === 0) return;
    const where = { id: { in: ids }, ...validKeys(this.#now()) };
    const valid = await this.#db.apiKey.findMany({ where, select: { id: true } });
    const good = new Set(valid.map(({ id }) => id));
    // Only keys that were checked: a subscription of another key may be new.
    const ended = new Set(ids.filter((id) => !good.has(id)));
    for (const one of this.#all) if (ended.has(one.actor.keyId)) one.end();
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.checkKeys().catch(() => {
        // While the database is down, subscriptions continue.
      });
    }, KEYS_CHECKED_EVERY).unref();
  }

  /** Ends all subscriptions, and refuses new ones. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
    for (const one of this.#all) one.end();
  }
}

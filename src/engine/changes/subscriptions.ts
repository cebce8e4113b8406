import type { Database } from '../db/database.ts';
import { DatabaseAway } from '../db/errors.ts';
import { DomainError, visibleError } from '../rules/errors.ts';
import { type End, type EventSource, OVER } from '../tools/event-source.ts';
import { pauseIfBlocked } from '../tools/time-slices.ts';
import { TIMED_OUT, withTimeout } from '../tools/timeout.ts';
import { Turns } from '../tools/turns.ts';
import type { LoggedChange } from './events.ts';
import type { ChangeFeed } from './feed.ts';
import {
  MAX_READ,
  readLogSnapshot,
  requireNotDeleted,
  requireReach,
  settledBetween,
  wasCommitted,
} from './log.ts';
import { isAfter, type LogPosition, type LogSnapshot } from './transaction-order.ts';

/** Maximum number of changes queued for a subscriber. Further ones are read from the log once these are taken. */
const MAX_WAITING = 250;
/** After how many milliseconds a subscriber that takes none of them is ended, if there are further ones. */
const STALL_TIMEOUT = 10_000;
/** Seconds after which to retry a refused subscription. */
const RETRY_AFTER = 10;
/** For how many accounts events are prepared at once: a read of one may take long. */
const ACCOUNTS_AT_ONCE = 4;
/** Milliseconds for which events may block the thread. Responses to requests wait for several such slices. */
const SLICE = 2;

/** Changes that a subscriber has read from the log. */
interface LogRead {
  readonly changes: readonly LoggedChange[];
  /** The position up to which these are all of the account's changes. */
  readonly reached: LogPosition;
  /** True if the read reached the position up to which changes were announced when it began. */
  readonly isComplete: boolean;
}

/** The account of a subscription, its caller, and the changes that it has. */
export interface Subscriber {
  readonly accountId: number;
  /** The number of the caller, for limits. */
  readonly caller: number;
  /** Returns whether it has a change of the account: its rights may change meanwhile. */
  wants(change: LoggedChange): boolean;
}

interface SubscriptionOptions {
  readonly subscriber: Subscriber;
  /** The position at which it starts; null for now. */
  readonly after: LogPosition | null;
  readLog(after: LogPosition): Promise<LogRead>;
  onEnd(subscription: Subscription): void;
  now(): Date;
}

type Next = IteratorResult<LoggedChange | DomainError, End>;

/** The queue of one subscriber. A slow subscriber delays no other: changes beyond the queue it reads from the log. */
class Subscription implements EventSource<LoggedChange | DomainError> {
  readonly options: SubscriptionOptions;
  readonly #waiting: LoggedChange[] = [];
  /** Why it ended; it follows the waiting changes. */
  #error: DomainError | null = null;
  /** Changes before this snapshot are not sent; null until it is known. */
  #began: LogSnapshot | null = null;
  /** The position after which it has to read the log; null while its queue gets each announced change. */
  #behind: LogPosition | null = null;
  /** Changes that are announced while it reads the log; null if it does not read, or if there are too many. */
  #announced: LoggedChange[] | null = null;
  /** Time at which the subscriber could take the next change; null while it waits for a change or for its turn. */
  #deliveredAt: Date | null;
  #wake: (() => void) | null = null;
  #ended = false;
  #end: End;

  constructor(options: SubscriptionOptions) {
    this.options = options;
    this.#behind = options.after;
    this.#deliveredAt = options.now();
  }

  /** Removes changes from before the snapshot, which may be announced after it. */
  begin(now: LogSnapshot): void {
    this.#began = now;
    this.#waiting.splice(0, Infinity, ...this.#waiting.filter((change) => this.#wants(change)));
  }

  #wants(change: LoggedChange): boolean {
    const { subscriber, after } = this.options;
    if (change.accountId !== subscriber.accountId || !subscriber.wants(change)) return false;
    // The process may not know yet that the order of changes is final after which it starts.
    if (after !== null && !isAfter(change, after)) return false;
    return this.#began === null || !wasCommitted(this.#began, change);
  }

  /** Adds an announced change to the queue, or leaves it to be read from the log. */
  push(change: LoggedChange): void {
    if (!this.#wants(change)) return;
    const last = this.#waiting.at(-1);
    if (this.#behind === null && this.#waiting.length >= MAX_WAITING && last)
      this.#behind = { tx: last.tx, id: last.id };
    if (this.#behind === null) this.#waiting.push(change);
    else if (this.#announced !== null && this.#announced.length < MAX_WAITING) this.#announced.push(change);
    else {
      this.#announced = null;
      if (this.#isStalled) {
        const message = 'The changes come faster than they are read.';
        this.#fail(new DomainError('UNAVAILABLE', message, [], RETRY_AFTER));
      }
    }
    this.#wake?.();
  }

  get #isStalled(): boolean {
    const { now } = this.options;
    return this.#deliveredAt !== null && now().getTime() - this.#deliveredAt.getTime() > STALL_TIMEOUT;
  }

  delivered(): void {
    this.#deliveredAt = this.options.now();
  }

  #fail(error: DomainError): void {
    this.#error = error;
    this.end();
  }

  /** Ends the subscription after the waiting changes are read. */
  end(as?: End): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#end = as;
    this.options.onEnd(this);
    this.#wake?.();
  }

  /** Ends the subscription at once, without the waiting changes. */
  cut(as?: End): void {
    this.#waiting.length = 0;
    this.#error = null;
    this.end(as);
  }

  async next(): Promise<Next> {
    this.#deliveredAt = null;
    for (;;) {
      const value = this.#waiting.shift() ?? this.#error;
      if (value === this.#error) this.#error = null;
      if (value !== null) return { value, done: false };
      if (this.#ended) return { value: this.#end, done: true };
      if (this.#behind === null)
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      else
        await this.#readLog(this.#behind).catch((error: unknown) => {
          const visible = visibleError(error);
          if (visible !== null) return this.#fail(visible);
          this.end();
          throw error;
        });
    }
  }

  async #readLog(after: LogPosition): Promise<void> {
    this.#announced = [];
    const { changes, reached, isComplete } = await this.options.readLog(after);
    if (this.#ended) return;
    this.#waiting.push(...changes.filter((change) => this.#wants(change)));
    this.#behind = reached;
    if (isComplete && this.#announced !== null) {
      // Some were announced before its turn came, and so were read, too.
      this.#waiting.push(...this.#announced.filter((change) => isAfter(change, reached)));
      this.#behind = null;
    }
    this.#announced = null;
  }

  async return(): Promise<Next> {
    this.cut();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** Maximum numbers of concurrent subscriptions of a key or user, and of the process. */
export interface SubscriptionLimits {
  readonly ofKey: number;
  readonly ofProcess: number;
}

const LIMITS: SubscriptionLimits = { ofKey: 100, ofProcess: 2_000 };
/** Of how many accounts the subscriptions of the process are enough. */
const MIN_ACCOUNTS = 3;
/** Milliseconds for which a new subscription waits for the database. */
const BEGIN_TIMEOUT = 2_000;

/** Returns the answer of the database. @throws DatabaseAway if it does not come in time */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  const found = await withTimeout(BEGIN_TIMEOUT, answer);
  if (found === TIMED_OUT) throw new DatabaseAway('the database did not answer in time');
  return found;
}

/** Subscriptions to the changes of all processes: in order, each exactly once. */
export class ChangeSubscriptions {
  readonly #db: Database;
  readonly #feed: ChangeFeed;
  readonly #now: () => Date;
  readonly #limits: SubscriptionLimits;
  readonly #ofAccounts = new Map<number, Set<Subscription>>();
  #size = 0;
  /** Subscriptions to something else than changes, which count among these. */
  readonly #others = new Set<Pick<Subscriber, 'accountId' | 'caller'> & { end(): void }>();
  #stopped = false;
  readonly #turns = new Turns<number>({ max: ACCOUNTS_AT_ONCE, maxOfOwner: () => 1 });
  readonly #push = (change: LoggedChange) => {
    for (const subscription of this.#of(change.accountId)) subscription.push(change);
  };

  constructor(db: Database, feed: ChangeFeed, now: () => Date, limits: Partial<SubscriptionLimits> = {}) {
    this.#db = db;
    this.#now = now;
    this.#feed = feed;
    this.#limits = { ...LIMITS, ...limits };
  }

  #of(accountId: number | null): Iterable<Subscription> {
    return (accountId === null ? undefined : this.#ofAccounts.get(accountId)) ?? [];
  }

  /** Does work for a subscriber of the account. Accounts take turns, and other work runs between their events. */
  inTurn<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    return this.#turns.take(accountId, async () => {
      await pauseIfBlocked(SLICE);
      return this.#db.onBehalfOf(accountId, work);
    });
  }

  /**
   * Reads the account's changes after the position, up to those that were announced when this was called.
   * @throws DomainError HISTORY_GONE if some are deleted
   */
  async #readLog(accountId: number, after: LogPosition): Promise<LogRead> {
    const announced = this.#feed.position ?? after;
    const changes = await settledBetween(this.#db, accountId, after, announced);
    await requireNotDeleted(this.#db, after);
    const last = changes.at(-1);
    if (last && changes.length === MAX_READ) return { changes, reached: last, isComplete: false };
    return { changes, reached: announced, isComplete: true };
  }

  /** @throws DomainError HISTORY_GONE if the log lacks changes of the account after the position */
  async #requireReach(accountId: number, after: LogPosition): Promise<void> {
    await requireReach(this.#db, accountId, after);
    // Changes are announced after the log is read, and from the first answer on.
    if (this.#feed.position === null) await this.#feed.confirm();
  }

  /** @throws DomainError RATE_LIMITED, UNAVAILABLE */
  #requireRoom({ accountId, caller }: Pick<Subscriber, 'accountId' | 'caller'>): void {
    const refuse = (code: 'RATE_LIMITED' | 'UNAVAILABLE', message: string): never => {
      throw new DomainError(code, message, [], RETRY_AFTER);
    };
    if (this.#stopped) refuse('UNAVAILABLE', 'The service is stopping. Try again shortly.');
    const { ofKey, ofProcess } = this.#limits;
    const ofAccount = Math.floor(ofProcess / MIN_ACCOUNTS);
    const own = [
      ...Array.from(this.#of(accountId), ({ options }) => options.subscriber),
      ...[...this.#others].filter((one) => one.accountId === accountId),
    ];
    const ofCaller = own.filter((one) => one.caller === caller);
    if (ofCaller.length >= ofKey) refuse('RATE_LIMITED', `The key may have ${ofKey} subscriptions at once.`);
    if (own.length >= ofAccount)
      refuse('RATE_LIMITED', `The account may have ${ofAccount} subscriptions at once.`);
    if (this.#size + this.#others.size >= ofProcess)
      refuse('RATE_LIMITED', 'There are too many subscriptions.');
  }

  #add(subscription: Subscription): void {
    const { accountId } = subscription.options.subscriber;
    if (this.#size === 0) this.#db.changes.on('settled', this.#push);
    this.#size++;
    this.#ofAccounts.set(accountId, (this.#ofAccounts.get(accountId) ?? new Set()).add(subscription));
  }

  #remove(subscription: Subscription): void {
    const { accountId } = subscription.options.subscriber;
    const own = this.#ofAccounts.get(accountId);
    if (own?.delete(subscription)) this.#size--;
    if (own?.size === 0) this.#ofAccounts.delete(accountId);
    if (this.#size === 0) this.#db.changes.off('settled', this.#push);
  }

  /**
   * The account's changes from now on, or all after a position. If too many wait to be read, the last value is an error.
   * @param onClosed calls its listener when the client leaves, or its key or session has other rights or is no longer valid
   * (`isOver`), which may be before this returns
   * @throws DomainError RATE_LIMITED for too many subscriptions, UNAVAILABLE if the service is stopping, HISTORY_GONE if the log lacks
   * changes after the position
   * @throws DatabaseAway if the database does not answer in time
   */
  async subscribe(
    subscriber: Subscriber,
    onClosed: (listener: (isOver: boolean) => void) => void,
    after: LogPosition | null = null,
  ): Promise<EventSource<LoggedChange | DomainError>> {
    this.#requireRoom(subscriber);
    const { accountId } = subscriber;
    const subscription = new Subscription({
      subscriber,
      after,
      readLog: (after) => this.inTurn(accountId, () => this.#readLog(accountId, after)),
      onEnd: (ended) => this.#remove(ended),
      now: this.#now,
    });
    this.#add(subscription);
    onClosed((isOver) => subscription.cut(isOver ? OVER : undefined));
    try {
      if (after === null) subscription.begin(await inTime(readLogSnapshot(this.#db)));
      else await inTime(this.#requireReach(accountId, after));
    } catch (error) {
      subscription.end();
      throw error;
    }
    return subscription;
  }

  /**
   * Counts a subscription to something else among these, until the returned function is called.
   * @param end ends it when the service stops
   * @throws DomainError RATE_LIMITED, UNAVAILABLE
   */
  enter(subscriber: Pick<Subscriber, 'accountId' | 'caller'>, end: () => void): () => void {
    this.#requireRoom(subscriber);
    const entered = { ...subscriber, end };
    this.#others.add(entered);
    return () => this.#others.delete(entered);
  }

  /** Ends all subscriptions, whose clients may come back, and refuses new ones. */
  stop(): void {
    this.#stopped = true;
    for (const own of [...this.#ofAccounts.values()]) for (const one of own) one.end();
    for (const { end } of [...this.#others]) end();
  }
}

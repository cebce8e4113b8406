import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { dayOf } from '../../db/statistics/calendar.ts';
import { readWatched, type WatchedCounts } from '../../db/statistics/read-watched.ts';
import type { ChangeSubscriptions } from '../../engine/changes/subscriptions.ts';
import { DomainError, fieldError, invalid } from '../../engine/rules/errors.ts';
import { idSchema, listSchema, parseInput } from '../../engine/rules/input.ts';
import { type End, type EventSource, OVER } from '../../engine/tools/event-source.ts';
import { type Actor, callerOf } from '../access/actor.ts';
import { refusal } from '../rules.ts';

/** Milliseconds between two reads of what is watched. */
export const WATCH_INTERVAL = 2_000;
/** Maximum number of links of a subscription. */
export const MAX_WATCHED_LINKS = 100;

/** Maximum numbers of links that are watched at once. */
export interface WatchLimits {
  readonly ofCaller: number;
  readonly ofAccount: number;
  readonly ofProcess: number;
}

/** Each read takes a microsecond or two for each of them. */
const LIMITS: WatchLimits = { ofCaller: 1_000, ofAccount: 2_000, ofProcess: 6_000 };
/** Seconds after which to retry a refused subscription. */
const RETRY_AFTER = 10;

/** The clicks of the present day in UTC of a link, or of the account if `linkId` is null. */
export interface ClickSums {
  readonly linkId: number | null;
  readonly clicks: number;
  readonly bots: number;
  readonly at: Date;
}

const wrong = refusal('ID', { what: 'a link' });
const clicksInput = z.object({
  linkIds: listSchema(idSchema(wrong), MAX_WATCHED_LINKS)
    .refine((ids) => ids.length > 0, refusal('NO_ENTRIES'))
    .nullish(),
});

type Next = IteratorResult<ClickSums, End>;

/** The sums that one subscriber waits for. Only the latest of each link is kept, however slowly it reads. */
class Watcher implements EventSource<ClickSums> {
  readonly accountId: number;
  readonly caller: number;
  /** Null for the sums of the account. */
  readonly linkIds: readonly number[] | null;
  /** True once its links are known to be the account's, and its first sums are read. */
  hasBegun = false;
  readonly #onEnd: () => void;
  /** The last sums of each link, and the first read by which it may have others. */
  readonly #last = new Map<number | null, { clicks: number; bots: number; next: number }>();
  readonly #waiting = new Map<number | null, ClickSums>();
  #wake: (() => void) | null = null;
  #ended = false;
  #end: End;

  constructor(
    { accountId, caller, linkIds }: Pick<Watcher, 'accountId' | 'caller' | 'linkIds'>,
    onEnd: () => void,
  ) {
    this.accountId = accountId;
    this.caller = caller;
    this.linkIds = linkIds;
    this.#onEnd = onEnd;
  }

  /**
   * Notes sums that were read; sums that it had already are left out.
   * @param read the number of the read
   * @param next that of the first read that may bring others of this link
   */
  offer(sums: ClickSums, read: number, next: number): void {
    const { linkId, clicks, bots } = sums;
    const last = this.#last.get(linkId);
    if (this.#ended || (last && (read < last.next || (last.clicks === clicks && last.bots === bots)))) return;
    this.#last.set(linkId, { clicks, bots, next });
    this.#waiting.set(linkId, sums);
    this.#wake?.();
  }

  async next(): Promise<Next> {
    for (;;) {
      const [sums] = this.#waiting.values();
      if (sums !== undefined) {
        this.#waiting.delete(sums.linkId);
        return { value: sums, done: false };
      }
      if (this.#ended) return { value: this.#end, done: true };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  delivered(): void {}

  /** Ends it at once, without what waits. */
  cut(as?: End): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#end = as;
    this.#waiting.clear();
    this.#onEnd();
    this.#wake?.();
  }

  async return(): Promise<Next> {
    this.cut();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

interface WatchOptions {
  now(): Date;
  /** Milliseconds between two reads. */
  readonly interval?: number | undefined;
  readonly limits?: Partial<WatchLimits> | undefined;
  /** Called with the error of a read; the next one comes as usual. */
  onFault?(error: unknown): void;
  /** Called after a read. */
  onRead?(): void;
}

/**
 * Tells subscribers the clicks of the present day. While somebody watches, everything that is watched is read by one statement every
 * two seconds, from the database that clicks are written to; else nothing is read.
 */
export class ClickWatch {
  readonly #db: Data;
  readonly #subscriptions: Pick<ChangeSubscriptions, 'enter'>;
  readonly #options: WatchOptions;
  readonly #limits: WatchLimits;
  readonly #watchers = new Set<Watcher>();
  #timer: NodeJS.Timeout | undefined;
  #reads = 0;
  #reading: Promise<void> | null = null;

  /** @param subscriptions those of changes, among which these count */
  constructor(db: Data, subscriptions: Pick<ChangeSubscriptions, 'enter'>, options: WatchOptions) {
    this.#db = db;
    this.#subscriptions = subscriptions;
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
  }

  /** @throws DomainError RATE_LIMITED */
  #requireRoom(accountId: number, caller: number, added: number): void {
    const linksOf = (isCounted: (one: Watcher) => boolean) =>
      [...this.#watchers].filter(isCounted).reduce((sum, { linkIds }) => sum + (linkIds?.length ?? 1), added);
    const refuse = (message: string): never => {
      throw new DomainError('RATE_LIMITED', message, [], RETRY_AFTER);
    };
    const { ofCaller, ofAccount, ofProcess } = this.#limits;
    const isOwn = (one: Watcher) => one.accountId === accountId;
    if (linksOf((one) => isOwn(one) && one.caller === caller) > ofCaller)
      refuse(`The key may watch the clicks of ${ofCaller} links at once.`);
    if (linksOf(isOwn) > ofAccount) refuse(`The account may watch the clicks of ${ofAccount} links at once.`);
    if (linksOf(() => true) > ofProcess) refuse('The clicks of too many links are watched.');
  }

  /**
   * The sums of these links, or of the account: the present ones at once, then others when they have changed.
   * @param onClosed calls its listener when the client leaves, or its key or session has other rights or is no longer valid
   * (`isOver`), which may be before this returns
   * @throws DomainError VALIDATION, RATE_LIMITED, UNAVAILABLE
   */
  async subscribe(
    actor: Actor,
    given: { readonly linkIds?: readonly (string | number)[] | null | undefined },
    onClosed: (listener: (isOver: boolean) => void) => void,
  ): Promise<EventSource<ClickSums>> {
    const { linkIds: listed } = parseInput(clicksInput, given);
    const linkIds = listed ? [...new Set(listed)] : null;
    const { accountId } = actor;
    const caller = callerOf(actor);
    this.#requireRoom(accountId, caller, linkIds?.length ?? 1);
    let watcher: Watcher | undefined;
    const leave = this.#subscriptions.enter({ accountId, caller }, () => watcher?.cut());
    watcher = new Watcher({ accountId, caller, linkIds }, () => this.#remove(watcher, leave));
    // It counts from now on, though nothing else is read for it before its first sums are.
    this.#watchers.add(watcher);
    onClosed((isOver) => watcher?.cut(isOver ? OVER : undefined));
    try {
      await this.#begin(watcher, listed ?? []);
    } catch (error) {
      watcher.cut();
      throw error;
    }
    return watcher;
  }

  /** Reads the first sums of a watcher. @throws DomainError VALIDATION for links that the account does not have */
  async #begin(watcher: Watcher, listed: readonly number[]): Promise<void> {
    const { accountId, linkIds } = watcher;
    const at = this.#options.now();
    const accounts = linkIds === null ? [accountId] : [];
    const found = await readWatched(this.#db, dayOf(at), linkIds ?? [], accounts, accountId);
    const known = new Set(found.map(({ id }) => id));
    if (linkIds !== null && known.size < linkIds.length)
      throw invalid(
        listed.flatMap((id, index) => (known.has(id) ? [] : fieldError(['linkIds', String(index)], wrong))),
      );
    // A read that is due already may come soon after these; otherwise the next one begins only after the interval.
    const next = this.#reads + (this.#timer === undefined ? 1 : 2);
    for (const counts of found) watcher.offer(sumsOf(counts, at), this.#reads, next);
    watcher.hasBegun = true;
    this.#schedule();
  }

  #remove(watcher: Watcher | undefined, leave: () => void): void {
    leave();
    if (watcher) this.#watchers.delete(watcher);
    if (this.#watchers.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#reading !== null || this.#watchers.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.read();
    }, this.#options.interval ?? WATCH_INTERVAL).unref();
  }

  /** Reads all that is watched, and tells those who watch it what has changed. A read that is running is not begun again. */
  async read(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
      this.#schedule();
    });
    return this.#reading;
  }

  async #read(): Promise<void> {
    const { now, onFault, onRead } = this.#options;
    const watchers = [...this.#watchers].filter(({ hasBegun }) => hasBegun);
    if (watchers.length === 0) return;
    const links = new Set(watchers.flatMap(({ linkIds }) => linkIds ?? []));
    const accounts = new Set(
      watchers.flatMap(({ linkIds, accountId }) => (linkIds === null ? accountId : [])),
    );
    const at = now();
    const number = ++this.#reads;
    try {
      const found = await readWatched(this.#db, dayOf(at), [...links], [...accounts]);
      const ofLinks = new Map<number, ClickSums>();
      const ofAccounts = new Map<number, ClickSums>();
      for (const counts of found)
        (counts.scope === 'link' ? ofLinks : ofAccounts).set(counts.id, sumsOf(counts, at));
      for (const watcher of watchers) {
        const { linkIds, accountId } = watcher;
        const offered = linkIds === null ? [ofAccounts.get(accountId)] : linkIds.map((id) => ofLinks.get(id));
        for (const sums of offered) if (sums) watcher.offer(sums, number, number + 1);
      }
      onRead?.();
    } catch (error) {
      onFault?.(error);
    }
  }
}

function sumsOf({ scope, id, clicks, bots }: WatchedCounts, at: Date): ClickSums {
  return { linkId: scope === 'link' ? id : null, clicks, bots, at };
}

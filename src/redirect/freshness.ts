import { LRUCache } from 'lru-cache';
import type { KnownChange } from '../engine/changes/events.ts';
import type { ChangeFeed } from '../engine/changes/feed.ts';
import { growingTo } from '../engine/tools/growing-cache.ts';

/** Maximum number of links whose last change is remembered. */
const MAX_CHANGED = 20_000;

/** The state of the databases: whether they answer, and which of their changes are announced. */
type Announcements = Pick<ChangeFeed, 'away' | 'hasBegun' | 'staleBefore'>;

/** A change that this process has heard of. */
export interface HeardChange {
  /** Its number among the changes that this process has heard of, from 1. */
  readonly number: number;
  /** The number of its transaction, which tells whether a replica has it; 0 if it is not known. */
  readonly tx: number;
}

export const NO_CHANGE: HeardChange = { number: 0, tx: 0 };

/** The last of two changes. Databases announce a change at different times, so each number may be of another one. */
function latest(one: HeardChange, other: HeardChange): HeardChange {
  return { number: Math.max(one.number, other.number), tx: Math.max(one.tx, other.tx) };
}

/** The state of changes when a read begins. */
export interface ReadStart {
  /** The number of changes that this process had heard of. */
  readonly heard: number;
  /** True if changes of others were announced already. */
  readonly isAnnounced: boolean;
  /** Time by `performance.now()`. */
  readonly at: number;
}

/** The result of a read. */
export interface Reading<T> {
  readonly found: T;
  /** False if the database that was read lacks the last change of the result. */
  readonly isComplete: boolean;
}

/** The records that a change affects, as far as visitors see them. */
export interface Affected {
  readonly link?: number;
  readonly pixel?: number;
  /** An account whose links may all have changed. */
  readonly account?: number;
  /** True if an unknown alias may be a link's now. */
  readonly aliases?: boolean;
  /** True if any domain may have changed. */
  readonly domains?: boolean;
  /** True if any brand may have changed, or there are other accounts. */
  readonly brands?: boolean;
}

/** Returns what a change affects. */
export function listAffected({ kind, action, recordId, fields }: KnownChange): Affected {
  if (kind === 'LINK')
    return {
      ...(action !== 'CREATED' && { link: recordId }),
      aliases: action === 'CREATED' || fields.includes('alias'),
    };
  if (kind === 'PIXEL') return { pixel: recordId };
  if (kind === 'ACCOUNT' && fields.includes('disabled'))
    return { account: recordId, domains: true, brands: true };
  if (kind === 'ACCOUNT') return { brands: true };
  return { domains: kind === 'DOMAIN' };
}

/**
 * Remembers the last change of each record that this process has heard of. By it, a result may be cached (`has`), and a
 * running read be shared (`isCurrent`). A cached result needs no other read (`isFresh`) until its time is over, or until a
 * change is overdue: one that is in the log, but was not announced for about a second. While no database answers, all are
 * fresh, since there is nothing newer.
 */
export class Freshness {
  readonly #databases: Announcements;
  #heard = 0;
  #ofAccounts = NO_CHANGE;
  #ofPixels = NO_CHANGE;
  #ofDomains = NO_CHANGE;
  #ofBrands = NO_CHANGE;
  #ofAliases = NO_CHANGE;
  readonly #ofLinks = new LRUCache<number, HeardChange>({
    ...growingTo(MAX_CHANGED),
    dispose: (change, _id, reason) => {
      if (reason === 'evict') this.#ofForgotten = latest(this.#ofForgotten, change);
    },
  });
  /** The last change of links whose last change is no longer remembered. */
  #ofForgotten = NO_CHANGE;

  constructor(databases: Announcements) {
    this.#databases = databases;
  }

  /** Notes a change. */
  hear({ link, pixel, account, aliases, domains, brands }: Affected, tx: number): void {
    const change = { number: ++this.#heard, tx };
    if (link !== undefined) this.#ofLinks.set(link, latest(this.#ofLinks.get(link) ?? NO_CHANGE, change));
    if (pixel !== undefined) this.#ofPixels = latest(this.#ofPixels, change);
    if (account !== undefined) this.#ofAccounts = latest(this.#ofAccounts, change);
    if (aliases) this.#ofAliases = latest(this.#ofAliases, change);
    if (domains) this.#ofDomains = latest(this.#ofDomains, change);
    if (brands) this.#ofBrands = latest(this.#ofBrands, change);
  }

  /** The last change that may be of a link; of an unknown alias if it is null. */
  lastOfLink(link: { readonly id: number } | null): HeardChange {
    if (link === null) return latest(this.#ofAccounts, this.#ofAliases);
    const own = this.#ofLinks.peek(link.id) ?? this.#ofForgotten;
    return latest(latest(own, this.#ofPixels), this.#ofAccounts);
  }

  /** The last change that may be of the first link of several aliases: of that link, or of one before it. */
  lastOfFirst(link: { readonly id: number } | null): HeardChange {
    return latest(this.lastOfLink(link), this.lastOfLink(null));
  }

  /** The last change of any domain. */
  get lastOfDomains(): HeardChange {
    return this.#ofDomains;
  }

  /** The last change of any brand. */
  get lastOfBrands(): HeardChange {
    return this.#ofBrands;
  }

  /** Call it before a read. */
  beginRead(): ReadStart {
    return { heard: this.#heard, isAnnounced: this.#databases.hasBegun, at: performance.now() };
  }

  /** True if a running read will have all changes that are known by now. */
  isCurrent({ heard, at }: ReadStart): boolean {
    return heard === this.#heard && at >= this.#databases.staleBefore;
  }

  /** True if a read began after a change of its result was heard of. Only such a result may be cached. */
  has({ heard, isAnnounced }: ReadStart, change: HeardChange): boolean {
    return isAnnounced && change.number <= heard;
  }

  /**
   * True if a cached result needs no other read.
   * @param freshFor for how many milliseconds it is fresh, since some changes are never announced
   */
  isFresh(readAt: number, freshFor: number): boolean {
    if (this.#databases.away) return true;
    return readAt >= this.#databases.staleBefore && performance.now() - readAt < freshFor;
  }
}

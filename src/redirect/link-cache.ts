import { LRUCache } from 'lru-cache';
import type { Database } from '../db/database.ts';
import { readVisitedLink, type VisitedRow } from '../db/reading/link-for-visit.ts';
import { isAlias, isItself } from '../domain/link/alias.ts';
import type { Services } from '../domain/services.ts';
import type { KnownChange } from '../engine/changes/events.ts';
import { DatabaseAway } from '../engine/db/errors.ts';
import { requireReadable } from '../engine/db/readable.ts';
import { growingTo } from '../engine/tools/growing-cache.ts';
import type { Domain } from '../generated/sqlite/client.ts';
import { DomainCache, type ReadDomains } from './domain-cache.ts';
import type { LinkSources } from './link-sources.ts';
import { type CacheEntry, CacheReads, ReadCache } from './read-cache.ts';
import { VisitWait } from './visit-wait.ts';

/** Of how many links the last change is remembered. */
const MAX_CHANGED = 20_000;

export type FoundLink = VisitedRow;
type OfLink = { readonly id: number } | null;

/** The version of the cache after the last change of something, and the number of its transaction, if that is known. */
interface LastChange {
  readonly version: number;
  readonly tx: number;
}

const NONE: LastChange = { version: 0, tx: 0 };

/** Databases tell of a change at different times. */
function latest(one: LastChange, other: LastChange): LastChange {
  return { version: Math.max(one.version, other.version), tx: Math.max(one.tx, other.tx) };
}

/** The domain of a visit's host, and its link with the alias. */
export interface LinkLookup {
  readonly domain: Domain;
  readonly link: FoundLink | null;
}

/** The key of an alias on a domain: a number, and what has no space. It is made for each visit, so it is short. */
function keyOf(domainId: number, alias: string): string {
  return `${domainId} ${alias}`;
}

function sizeOf({ value }: CacheEntry<FoundLink>): number {
  const { pixels = [], ...link } = value ?? {};
  const texts = [...Object.values(link), ...pixels.flatMap((pixel) => Object.values(pixel))];
  return 1_000 + texts.reduce<number>((sum, one) => sum + (typeof one === 'string' ? 2 * one.length : 0), 0);
}

interface LookupMetrics {
  lookup(cache: 'hit' | 'miss'): void;
}

/**
 * Finds links for visitors, with a cache. A change removes only what it concerns: this process's own changes at once, those
 * of others within a second. Links with a click limit are never cached.
 */
export class LinkCache {
  readonly #sources: LinkSources;
  readonly #metrics: LookupMetrics | undefined;
  readonly #reads: CacheReads;
  readonly #domains: DomainCache;
  readonly #links: LRUCache<string, CacheEntry<FoundLink>>;
  readonly #cache: ReadCache<FoundLink>;
  readonly #keys = new Map<number, string>();
  /**
   * The last changes of links that were not told one by one, of pixels, of domains, of names that were unknown, and of each
   * link.
   */
  #unnamed = NONE;
  #pixels = NONE;
  #ofDomains = NONE;
  #names = NONE;
  readonly #lastOfLink = new LRUCache<number, LastChange>({
    ...growingTo(MAX_CHANGED),
    dispose: (last, _id, reason) => {
      if (reason === 'evict') this.#forgotten = latest(this.#forgotten, last);
    },
  });
  /** The last change of links whose last change is no longer remembered. */
  #forgotten = NONE;

  constructor(
    sources: LinkSources,
    services: Pick<Services, 'defaultDomainId' | 'verifiesDomains' | 'consoleHost'>,
    megabytes: number,
    metrics?: LookupMetrics,
  ) {
    this.#metrics = metrics;
    this.#sources = sources;
    this.#links = new LRUCache({
      maxSize: megabytes * 1_000_000,
      sizeCalculation: sizeOf,
      dispose: ({ value }, key) => {
        if (value && this.#keys.get(value.id) === key) this.#keys.delete(value.id);
      },
    });
    this.#reads = new CacheReads(sources);
    this.#cache = new ReadCache(this.#reads, this.#links, this.#mayKeep.bind(this));
    const readDomains: ReadDomains = (ask) => sources.read(ask, () => this.#ofDomains.tx);
    this.#domains = new DomainCache(
      readDomains,
      services,
      this.#reads,
      (domain) => !sources.isOutdated(domain),
    );
    for (const { database } of sources.all)
      database.changes
        .on('change', (change) => this.#forget(change))
        .on('many', (accountId, tx) => this.#forgetAll(accountId, tx));
  }

  /** Removes what a change concerns from the cache. */
  #forget({ kind, action, recordId, fields, tx = 0 }: KnownChange): void {
    const version = ++this.#reads.version;
    const after = (last: LastChange): LastChange => latest(last, { version, tx });
    if (kind === 'LINK' && action !== 'CREATED') {
      this.#lastOfLink.set(recordId, after(this.#lastOfLink.get(recordId) ?? NONE));
      this.#forgetLink(recordId);
    }
    // An unknown name may be a link's now.
    if (kind === 'LINK' && (action === 'CREATED' || fields.includes('alias'))) {
      this.#names = after(this.#names);
      this.#cache.clearMissing();
    }
    if (kind === 'PIXEL') {
      this.#pixels = after(this.#pixels);
      for (const { value } of this.#links.values())
        if (value?.pixels.some(({ id }) => id === recordId)) this.#forgetLink(value.id);
    }
    const isAccount = kind === 'ACCOUNT' && fields.includes('disabled');
    if (isAccount) this.#forgetAll(recordId, tx);
    if (kind === 'DOMAIN' || isAccount) {
      this.#ofDomains = after(this.#ofDomains);
      this.#domains.clear();
    }
  }

  /** Removes the links of an account from the cache, and the names that may be theirs now. */
  #forgetAll(accountId: number, tx: number): void {
    const version = ++this.#reads.version;
    this.#unnamed = latest(this.#unnamed, { version, tx });
    for (const { value } of this.#links.values())
      if (value?.accountId === accountId) this.#forgetLink(value.id);
    this.#cache.clearMissing();
  }

  #forgetLink(id: number): void {
    const key = this.#keys.get(id);
    if (key !== undefined) this.#links.delete(key);
  }

  /** @param wait how long it waits for what it knows: while the database is down, without the changes of others */
  async find(host: string, alias: string, wait = new VisitWait()): Promise<LinkLookup> {
    await this.#sources.freshIfAvailable(wait);
    const domain = await this.#domains.find(host, wait);
    return { domain, link: isAlias(alias) ? await this.#linkOf(domain, alias, wait) : null };
  }

  /** Where the root of a host leads; null for a page of the service. */
  async rootUrlOf(host: string, wait = new VisitWait()): Promise<string | null> {
    await this.#sources.freshIfAvailable(wait);
    const { name, rootUrl } = await this.#domains.find(host, wait);
    return rootUrl === null || isItself(rootUrl, '/', [host, name]) ? null : rootUrl;
  }

  /** True if pages for people are served on a host. */
  async servesPeople(host: string, wait = new VisitWait()): Promise<boolean> {
    await this.#sources.freshIfAvailable(wait);
    return this.#domains.servesPeople(host, wait);
  }

  /** True if a domain serves visitors of a host, at any port. */
  async serves(host: string, wait = new VisitWait()): Promise<boolean> {
    await this.#sources.freshIfAvailable(wait);
    return this.#domains.serves(host, wait);
  }

  /** Returns the result of `find` without waiting; undefined if a part of it is not cached or no longer fresh. */
  findNow(host: string, alias: string): LinkLookup | undefined {
    const domain = this.#sources.isFresh ? this.#domains.findNow(host) : undefined;
    if (domain === undefined) return undefined;
    const link = this.#cache.get(keyOf(domain.id, alias));
    if (!link) return undefined;
    this.#metrics?.lookup('hit');
    return { domain, link };
  }

  /** Writes to the primary. @throws DatabaseAway at once while it does not answer: a visitor would wait for its timeout */
  async askPrimary<T>(write: () => Promise<T>): Promise<T> {
    if (this.#sources.primary.feed.away) throw new DatabaseAway('the primary does not answer');
    return write();
  }

  /** Reads something of a link, unless no database answers and too many already wait for it. */
  read<T extends OfLink>(ask: (db: Database) => Promise<T>): Promise<T> {
    return this.#reads.askDatabase(() => this.#readLink(ask));
  }

  #readLink<T extends OfLink>(ask: (db: Database) => Promise<T>): Promise<T> {
    return this.#sources.read(
      ask,
      (found) => latest(this.#unnamed, found === null ? this.#names : this.#lastOf(found.id)).tx,
    );
  }

  /** The last change of a link or of pixels that is known of it alone. */
  #lastOf(id: number): LastChange {
    return latest(this.#lastOfLink.peek(id) ?? this.#forgotten, this.#pixels);
  }

  /** @throws if links can be read from no database with all migrations, or none tells of changes */
  async requireSource(): Promise<void> {
    await this.#sources.read(requireReadable, () => 0);
    await this.#sources.requireAnswers();
  }

  #linkOf({ id: domainId }: Domain, alias: string, wait: VisitWait): Promise<FoundLink | null> {
    const key = keyOf(domainId, alias);
    this.#metrics?.lookup(this.#cache.get(key) === undefined ? 'miss' : 'hit');
    return this.#cache.find(
      key,
      () => this.#readLink((db) => readVisitedLink(db, { domainId, alias })),
      wait,
    );
  }

  #mayKeep(found: FoundLink, key: string, version: number): boolean {
    const { id, expirationClicks } = found;
    // The entry under an earlier key of the link is outdated.
    this.#forgetLink(id);
    const changed = latest(this.#unnamed, this.#lastOf(id));
    if (changed.version > version || expirationClicks !== null || this.#sources.isOutdated(found))
      return false;
    this.#keys.set(id, key);
    return true;
  }

  reload(id: number): Promise<FoundLink | null> {
    return readVisitedLink(this.#sources.primary.database, { id });
  }
}

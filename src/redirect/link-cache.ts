import { LRUCache } from 'lru-cache';
import type { MadeChange } from '../db/change/events.ts';
import type { ChangeFeed } from '../db/change/feed.ts';
import type { Database } from '../db/database.ts';
import { readVisitedLink, type VisitedRow } from '../db/reading/link-for-visit.ts';
import { isAlias, isItself } from '../domain/link/alias.ts';
import type { Services } from '../domain/services.ts';
import type { Domain } from '../generated/sqlite/client.ts';
import type { Metrics } from '../http/metrics.ts';
import { growingTo } from '../shared/growing-cache.ts';
import { DomainCache } from './domain-cache.ts';
import { type CacheEntry, CacheReads, ReadCache } from './read-cache.ts';

/** The maximum number of cached links, and their memory in bytes. */
const MAX_LINKS = 20_000;
const MAX_BYTES = 64_000_000;

export type FoundLink = VisitedRow;

/** The domain of a visit's host, and its link with the alias. */
export interface LinkLookup {
  readonly domain: Domain;
  readonly link: FoundLink | null;
}

function sizeOf({ value }: CacheEntry<FoundLink>): number {
  const { pixels = [], ...link } = value ?? {};
  const texts = [...Object.values(link), ...pixels.flatMap((pixel) => Object.values(pixel))];
  return 1_000 + texts.reduce<number>((sum, one) => sum + (typeof one === 'string' ? 2 * one.length : 0), 0);
}

/**
 * Finds links for visitors, with a cache. A change removes only what it concerns: this process's own changes at once, those
 * of others within a second. Links with a click limit are never cached.
 */
export class LinkCache {
  readonly #db: Database;
  readonly #feed: ChangeFeed;
  readonly #metrics: Metrics | undefined;
  readonly #reads: CacheReads;
  readonly #domains: DomainCache;
  readonly #links = new LRUCache<string, CacheEntry<FoundLink>>({
    max: MAX_LINKS,
    maxSize: MAX_BYTES,
    sizeCalculation: sizeOf,
    dispose: ({ value }, key) => {
      if (value && this.#keys.get(value.id) === key) this.#keys.delete(value.id);
    },
  });
  readonly #cache: ReadCache<FoundLink>;
  readonly #keys = new Map<number, string>();
  /** The versions of the last changes of pixels, and of each link. */
  #pixelsChanged = 0;
  readonly #lastOfLink = new LRUCache<number, number>(growingTo(MAX_LINKS));

  constructor(
    db: Database,
    feed: ChangeFeed,
    services: Pick<Services, 'defaultDomainId' | 'verifiesDomains' | 'consoleHost'>,
    metrics?: Metrics,
  ) {
    this.#metrics = metrics;
    this.#db = db;
    this.#feed = feed;
    this.#reads = new CacheReads(feed);
    this.#cache = new ReadCache(this.#reads, this.#links, this.#mayKeep.bind(this));
    this.#domains = new DomainCache(db, services, this.#reads);
    db.changes.on('change', (change) => this.#forget(change));
  }

  /** Removes what a change concerns from the cache. */
  #forget({
    kind,
    action,
    recordId,
    fields,
  }: Pick<MadeChange, 'kind' | 'action' | 'recordId' | 'fields'>): void {
    const version = ++this.#reads.version;
    if (kind === 'LINK' && action !== 'CREATED') {
      this.#lastOfLink.set(recordId, version);
      this.#forgetLink(recordId);
    }
    // An unknown name may be a link's now.
    if (kind === 'LINK' && (action === 'CREATED' || fields.includes('alias'))) this.#cache.clearMissing();
    if (kind === 'PIXEL') {
      this.#pixelsChanged = version;
      for (const { value } of this.#links.values())
        if (value?.pixels.some(({ id }) => id === recordId)) this.#forgetLink(value.id);
    }
    if (kind === 'DOMAIN') this.#domains.clear();
  }

  #forgetLink(id: number): void {
    const key = this.#keys.get(id);
    if (key !== undefined) this.#links.delete(key);
  }

  async find(host: string, alias: string): Promise<LinkLookup> {
    // While the database is down, cached entries are used, without the changes of others.
    await this.#feed.freshIfAvailable();
    const domain = await this.#domains.find(host);
    return { domain, link: isAlias(alias) ? await this.#linkOf(domain, alias) : null };
  }

  /** Where the root of a host leads; null for the service's own page. */
  async rootUrlOf(host: string): Promise<string | null> {
    await this.#feed.freshIfAvailable();
    const { name, rootUrl } = await this.#domains.find(host);
    return rootUrl === null || isItself(rootUrl, '/', [host, name]) ? null : rootUrl;
  }

  /** Whether pages for people are served on a host. */
  async servesPeople(host: string): Promise<boolean> {
    await this.#feed.freshIfAvailable();
    return this.#domains.servesPeople(host);
  }

  /** Whether a domain serves visitors of a host, at any port. */
  async serves(host: string): Promise<boolean> {
    await this.#feed.freshIfAvailable();
    return this.#domains.serves(host);
  }

  /** The same as `find` without waiting, if everything is cached and fresh; else undefined. */
  findNow(host: string, alias: string): LinkLookup | undefined {
    const domain = this.#feed.isFresh ? this.#domains.findNow(host) : undefined;
    if (domain === undefined) return undefined;
    const link = this.#cache.get(`${domain.id} ${alias}`);
    if (!link) return undefined;
    this.#metrics?.lookup('hit');
    return { domain, link };
  }

  /** Runs a query, unless the database is down and too many already wait for it. */
  askDatabase<T>(ask: () => Promise<T>): Promise<T> {
    return this.#reads.askDatabase(ask);
  }

  #linkOf({ id: domainId }: Domain, alias: string): Promise<FoundLink | null> {
    const key = `${domainId} ${alias}`;
    this.#metrics?.lookup(this.#cache.get(key) === undefined ? 'miss' : 'hit');
    return this.#cache.find(key, () => readVisitedLink(this.#db, { domainId, alias }));
  }

  #mayKeep({ id, expirationClicks }: FoundLink, key: string, version: number): boolean {
    // The entry under an earlier key of the link is outdated.
    this.#forgetLink(id);
    const changed = Math.max(this.#lastOfLink.get(id) ?? 0, this.#pixelsChanged);
    if (changed > version || expirationClicks !== null) return false;
    this.#keys.set(id, key);
    return true;
  }

  reload(id: number): Promise<FoundLink | null> {
    return readVisitedLink(this.#db, { id });
  }
}

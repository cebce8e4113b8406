import { LRUCache } from 'lru-cache';
import type { MadeChange } from '../db/change/events.ts';
import type { ChangeFeed } from '../db/change/feed.ts';
import type { Database } from '../db/database.ts';
import { readVisitedLink, type VisitedRow } from '../db/reading/link-for-visit.ts';
import { isAlias } from '../domain/link/alias.ts';
import type { Services } from '../domain/services.ts';
import type { Domain } from '../generated/sqlite/client.ts';
import type { Metrics } from '../http/metrics.ts';
import { growingTo } from '../shared/growing-cache.ts';
import { type CacheEntry, CoalescedReads, type RunningRead } from './coalesced-reads.ts';
import { DomainCache } from './domain-cache.ts';

/** The maximum number of cached links, their memory in bytes, and the number of unknown names. */
const MAX_LINKS = 20_000;
const MAX_BYTES = 64_000_000;
const MAX_MISSING = 2_000;

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
 * of others within a second. Links with a click limit are never cached. Unknown names have caches of their own, so that
 * guesses do not evict links. While the database is down, cached entries stay valid.
 */
export class LinkCache {
  readonly #db: Database;
  readonly #feed: ChangeFeed;
  readonly #metrics: Metrics | undefined;
  readonly #reads: CoalescedReads;
  readonly #domains: DomainCache;
  readonly #links = new LRUCache<string, CacheEntry<FoundLink>>({
    max: MAX_LINKS,
    maxSize: MAX_BYTES,
    sizeCalculation: sizeOf,
    dispose: ({ value }, key) => {
      if (value && this.#keys.get(value.id) === key) this.#keys.delete(value.id);
    },
  });
  readonly #missingLinks = new LRUCache<string, CacheEntry<FoundLink>>({ max: MAX_MISSING });
  readonly #keys = new Map<number, string>();
  readonly #running = new Map<string, RunningRead<FoundLink>>();
  /** The versions of the last changes of aliases and of pixels, and of each link. */
  readonly #changed = { names: 0, pixels: 0 };
  readonly #lastOfLink = new LRUCache<number, number>(growingTo(MAX_LINKS));

  constructor(
    db: Database,
    feed: ChangeFeed,
    services: Pick<Services, 'defaultDomainId' | 'verifiesDomains'>,
    metrics?: Metrics,
  ) {
    this.#metrics = metrics;
    this.#db = db;
    this.#feed = feed;
    this.#reads = new CoalescedReads(feed);
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
    const version = this.#reads.changed();
    if (kind === 'LINK' && action !== 'CREATED') {
      this.#lastOfLink.set(recordId, version);
      this.#forgetLink(recordId);
    }
    // An unknown name may be a link's now.
    if (kind === 'LINK' && (action === 'CREATED' || fields.includes('alias'))) {
      this.#changed.names = version;
      this.#missingLinks.clear();
    }
    if (kind === 'PIXEL') {
      this.#changed.pixels = version;
      for (const { value } of this.#links.values())
        if (value?.pixels.some(({ id }) => id === recordId)) this.#forgetLink(value.id);
    }
    if (kind === 'DOMAIN') this.#domains.clear(version);
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

  /** Whether pages for people are served on a host. */
  async servesPeople(host: string): Promise<boolean> {
    await this.#feed.freshIfAvailable();
    return this.#domains.servesPeople(host);
  }

  /** The same without waiting, if everything is cached and fresh; else undefined. */
  findNow(host: string, alias: string): LinkLookup | undefined {
    const domain = this.#feed.isFresh ? this.#domains.findNow(host) : undefined;
    if (domain === undefined) return undefined;
    const link = this.#links.get(`${domain.id} ${alias}`);
    if (!link?.value || !this.#reads.isFresh(link)) return undefined;
    this.#metrics?.lookup('hit');
    return { domain, link: link.value };
  }

  /** Runs a query, unless the database is down and too many already wait for it. */
  askDatabase<T>(ask: () => Promise<T>): Promise<T> {
    return this.#reads.askDatabase(ask);
  }

  #linkOf({ id: domainId }: Domain, alias: string): Promise<FoundLink | null> {
    const key = `${domainId} ${alias}`;
    const cached = () => this.#links.get(key) ?? this.#missingLinks.get(key);
    const known = cached();
    this.#metrics?.lookup(known && this.#reads.isFresh(known) ? 'hit' : 'miss');
    const ask = () => readVisitedLink(this.#db, { domainId, alias });
    const keep = (entry: CacheEntry<FoundLink>, version: number) => {
      const { value } = entry;
      if (value === null) {
        this.#links.delete(key);
        if (this.#changed.names <= version) this.#missingLinks.set(key, entry);
        return;
      }
      // The entry under an earlier key of the link is outdated.
      const before = this.#keys.get(value.id);
      if (before !== undefined) this.#links.delete(before);
      const changed = Math.max(this.#lastOfLink.get(value.id) ?? 0, this.#changed.pixels);
      if (changed <= version && value.expirationClicks === null) {
        this.#links.set(key, entry);
        this.#keys.set(value.id, key);
      }
    };
    return this.#reads.find({ running: this.#running, key, cached, ask, keep });
  }

  reload(id: number): Promise<FoundLink | null> {
    return readVisitedLink(this.#db, { id });
  }
}

import { LRUCache } from 'lru-cache';
import { type LoggedChange, onOwnChanges } from '../db/change/log.ts';
import type { Revisions } from '../db/change/revisions.ts';
import type { Db } from '../db/connection/db.ts';
import { readVisitedLink, type VisitedRow } from '../db/reading/visited-link.ts';
import { servesVisitors } from '../domain/domain/domain.ts';
import { isAlias } from '../domain/link/alias.ts';
import type { Site } from '../domain/site.ts';
import { namesServing, normalizeHost } from '../domain/url.ts';
import type { Domain } from '../generated/sqlite/client.ts';
import type { Metrics } from '../http/metrics.ts';
import { growingTo } from '../shared/growing-cache.ts';
import { type Remembered, type Running, SharedReads } from './shared-reads.ts';

/** The maximum number of cached links and domains, and the memory of the links in bytes. */
const MAX_LINKS = 20_000;
const MAX_BYTES = 64_000_000;
const MAX_DOMAINS = 10_000;
/** The size of the caches of unknown names: anyone can request any number of names. */
const MAX_MISSING = 2_000;
/** Hosts longer than any name, in characters, are not cached. */
const LONGEST_NAME = 255;

export type FoundLink = VisitedRow;

/** The domain of a visit's host, and its link with the alias. */
export interface LinkLookup {
  readonly domain: Domain;
  readonly link: FoundLink | null;
}

/** The approximate size of a link in bytes. */
function sizeOf({ value }: Remembered<FoundLink>): number {
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
  readonly #db: Db;
  readonly #revisions: Revisions;
  readonly #site: Pick<Site, 'defaultDomainId' | 'verifiesDomains'>;
  readonly #metrics: Metrics | undefined;
  readonly #reads: SharedReads;
  /** By name. */
  readonly #domains = new LRUCache<string, Remembered<Domain>>(growingTo(MAX_DOMAINS));
  readonly #missingDomains = new LRUCache<string, Remembered<Domain>>({ max: MAX_MISSING });
  readonly #links = new LRUCache<string, Remembered<FoundLink>>({
    max: MAX_LINKS,
    maxSize: MAX_BYTES,
    sizeCalculation: sizeOf,
    dispose: ({ value }, key) => {
      if (value && this.#keys.get(value.id) === key) this.#keys.delete(value.id);
    },
  });
  readonly #missingLinks = new LRUCache<string, Remembered<FoundLink>>({ max: MAX_MISSING });
  /** The cache key of each link. */
  readonly #keys = new Map<number, string>();
  #defaultDomain: Remembered<Domain> | null = null;
  readonly #readLinks = new Map<string, Running<FoundLink>>();
  readonly #readDomains = new Map<string, Running<Domain>>();
  /** A cache by host. */
  readonly #names = new LRUCache<string, readonly string[]>({ max: MAX_MISSING });
  readonly #lastChanges = { names: 0, pixels: 0, domains: 0 };
  readonly #lastOfLink = new LRUCache<number, number>(growingTo(MAX_LINKS));

  constructor(
    db: Db,
    revisions: Revisions,
    site: Pick<Site, 'defaultDomainId' | 'verifiesDomains'>,
    metrics?: Metrics,
  ) {
    this.#metrics = metrics;
    this.#db = db;
    this.#revisions = revisions;
    this.#reads = new SharedReads(revisions);
    this.#site = site;
    /** The log announces this process's own changes again. */
    const own = new LRUCache<number, true>(growingTo(MAX_LINKS));
    revisions.feed.listen({ onChange: (change) => own.delete(change.id) || this.#forget(change) });
    onOwnChanges(db, (changes) => {
      for (const change of changes) {
        own.set(change.id, true);
        this.#forget(change);
      }
    });
  }

  /** Removes what a change concerns from the cache. */
  #forget({
    kind,
    action,
    recordId,
    fields,
  }: Pick<LoggedChange, 'kind' | 'action' | 'recordId'> & { fields: string | readonly string[] }): void {
    const now = this.#reads.changed();
    if (kind === 'LINK' && action !== 'CREATED') {
      this.#lastOfLink.set(recordId, now);
      this.#forgetLink(recordId);
    }
    // An unknown name may be a link's now.
    if (kind === 'LINK' && (action === 'CREATED' || fields.includes('alias'))) {
      this.#lastChanges.names = now;
      this.#missingLinks.clear();
    }
    if (kind === 'PIXEL') {
      this.#lastChanges.pixels = now;
      for (const { value } of this.#links.values())
        if (value?.pixels.some(({ id }) => id === recordId)) this.#forgetLink(value.id);
    }
    if (kind === 'DOMAIN') {
      this.#lastChanges.domains = now;
      this.#defaultDomain = null;
      this.#domains.clear();
      this.#missingDomains.clear();
    }
  }

  #forgetLink(id: number): void {
    const key = this.#keys.get(id);
    if (key !== undefined) this.#links.delete(key);
  }

  async find(host: string, alias: string): Promise<LinkLookup> {
    // While the database is down, cached entries are used, without the changes of others.
    await this.#revisions.freshOrAway();
    const domain = await this.#domainOf(host);
    return { domain, link: isAlias(alias) ? await this.#linkOf(domain, alias) : null };
  }

  /** The same without waiting, if everything is cached and fresh; else undefined. */
  findNow(host: string, alias: string): LinkLookup | undefined {
    const domain = this.#revisions.isFresh ? this.#domainNow(host) : undefined;
    if (domain === undefined) return undefined;
    const link = this.#links.get(`${domain.id} ${alias}`);
    if (!link?.value || !this.#reads.isTrusted(link)) return undefined;
    this.#metrics?.lookup('hit');
    return { domain, link: link.value };
  }

  #domainNow(host: string): Domain | undefined {
    let known: Remembered<Domain> | null | undefined;
    for (const name of this.#namesOf(host)) {
      known = this.#domains.get(name) ?? this.#missingDomains.get(name);
      if (known === undefined || !this.#reads.isTrusted(known)) return undefined;
      if (known.value !== null) return known.value;
    }
    known = this.#defaultDomain;
    return known?.value && this.#reads.isTrusted(known) ? known.value : undefined;
  }

  /** Runs a query, unless the database is down and too many already wait for it. */
  askDatabase<T>(ask: () => Promise<T>): Promise<T> {
    return this.#reads.askDatabase(ask);
  }

  #linkOf({ id: domainId }: Domain, alias: string): Promise<FoundLink | null> {
    const key = `${domainId} ${alias}`;
    const known = () => this.#links.get(key) ?? this.#missingLinks.get(key);
    const entry = known();
    this.#metrics?.lookup(entry && this.#reads.isTrusted(entry) ? 'hit' : 'miss');
    const ask = () => readVisitedLink(this.#db, { domainId, alias });
    const remember = (remembered: Remembered<FoundLink>, at: number) => {
      const { value } = remembered;
      if (value === null) {
        this.#links.delete(key);
        if (this.#lastChanges.names <= at) this.#missingLinks.set(key, remembered);
        return;
      }
      // The entry under an earlier key of the link is outdated.
      const before = this.#keys.get(value.id);
      if (before !== undefined) this.#links.delete(before);
      const changed = Math.max(this.#lastOfLink.get(value.id) ?? 0, this.#lastChanges.pixels);
      if (changed <= at && value.expirationClicks === null) {
        this.#links.set(key, remembered);
        this.#keys.set(value.id, key);
      }
    };
    return this.#reads.lookUp({ running: this.#readLinks, key, known, ask, remember });
  }

  /** Reads the link from the database. */
  reload(id: number): Promise<FoundLink | null> {
    return readVisitedLink(this.#db, { id });
  }

  /** The domain of a host; the default domain for an unknown host. */
  async #domainOf(host: string): Promise<Domain> {
    for (const name of this.#namesOf(host)) {
      const domain = await this.#domainNamed(name);
      if (domain !== null) return domain;
    }
    return this.#default();
  }

  /** The names of domains that serve the host. */
  #namesOf(host: string): readonly string[] {
    const known = this.#names.get(host);
    if (known !== undefined) return known;
    const name = normalizeHost(host);
    const names = name === null ? [] : namesServing(name);
    if (host.length <= LONGEST_NAME) this.#names.set(host, names);
    return names;
  }

  #domainNamed(name: string): Promise<Domain | null> {
    const known = () => this.#domains.get(name) ?? this.#missingDomains.get(name);
    const ask = async () => {
      const found = await this.#db.domain.findUnique({ where: { name } });
      return found && servesVisitors(found, this.#site) ? found : null;
    };
    const remember = (remembered: Remembered<Domain>, at: number) => {
      if (this.#lastChanges.domains > at) return;
      (remembered.value === null ? this.#missingDomains : this.#domains).set(name, remembered);
    };
    // Most unknown hosts are other names of this service, so old entries may be used.
    return this.#reads.lookUp({ running: this.#readDomains, key: name, known, ask, remember }, true);
  }

  async #default(): Promise<Domain> {
    const where = { id: this.#site.defaultDomainId };
    const domain = await this.#reads.lookUp({
      running: this.#readDomains,
      // No name is empty.
      key: '',
      known: () => this.#defaultDomain,
      ask: () => this.#db.domain.findUnique({ where }),
      remember: (remembered, at) => {
        if (this.#lastChanges.domains <= at) this.#defaultDomain = remembered;
      },
    });
    if (domain === null) throw new Error('there is no default domain');
    return domain;
  }
}

import { LRUCache } from 'lru-cache';
import type { Turn } from '../db/clicks.ts';
import type { Db } from '../db/client.ts';
import type { Revisions } from '../db/revisions.ts';
import { isAlias } from '../domain/alias.ts';
import { servesVisitors } from '../domain/domain.ts';
import type { Site } from '../domain/link.ts';
import { normalizeHost, withoutPort } from '../domain/url.ts';
import type { Domain, Link, Pixel, Prisma } from '../generated/sqlite/client.ts';
import type { Metrics } from '../http/metrics.ts';

/** How many links and domains a process remembers, and how much memory the links may take, in bytes. */
const MAX_LINKS = 20_000;
const MAX_BYTES = 64_000_000;
const MAX_DOMAINS = 10_000;
/** How much of what does not exist it remembers: strangers can ask for any number of names. */
const MAX_MISSING = 2_000;
/** How long it believes that something does not exist, in milliseconds: new records are not told of everywhere. */
const MISSING_FOR = 900;

export type FoundLink = Link & Turn & { readonly pixels: readonly Pixel[] };

/** What a visitor asks for: the domain that answers for the host, and its link with that alias. */
export interface Found {
  readonly domain: Domain;
  readonly link: FoundLink | null;
}

/** About how many bytes a link takes. */
function sizeOf({ pixels, ...link }: FoundLink): number {
  const texts = [...Object.values(link), ...pixels.flatMap((pixel) => Object.values(pixel))];
  return 1_000 + texts.reduce<number>((sum, one) => sum + (typeof one === 'string' ? 2 * one.length : 0), 0);
}

/**
 * Finds links for visitors, from memory where it can. Whatever changes what visitors get empties it: here at once, by
 * `clear`, and within a second on every other process. A link that ends by clicks is never remembered. What does not exist
 * is remembered apart, so that no number of guesses drives out what does.
 */
export class LinkCache {
  readonly #db: Db;
  readonly #revisions: Revisions;
  readonly #site: Pick<Site, 'defaultDomainId' | 'verifiesDomains'>;
  /** By name. */
  readonly #domains = new LRUCache<string, Domain>({ max: MAX_DOMAINS });
  readonly #missingDomains = new LRUCache<string, true>({ max: MAX_MISSING, ttl: MISSING_FOR });
  readonly #links = new LRUCache<string, FoundLink>({
    max: MAX_LINKS,
    maxSize: MAX_BYTES,
    sizeCalculation: sizeOf,
  });
  readonly #missingLinks = new LRUCache<string, true>({ max: MAX_MISSING, ttl: MISSING_FOR });
  readonly #metrics: Metrics | undefined;
  #defaultDomain: Domain | null = null;
  /** Raised at each clearing: what was read before it is not remembered after it. */
  #generation = 0;

  constructor(
    db: Db,
    revisions: Revisions,
    site: Pick<Site, 'defaultDomainId' | 'verifiesDomains'>,
    metrics?: Metrics,
  ) {
    this.#metrics = metrics;
    this.#db = db;
    this.#revisions = revisions;
    this.#site = site;
    revisions.watch('links', () => this.clear());
  }

  clear(): void {
    this.#generation++;
    this.#defaultDomain = null;
    for (const cache of [this.#domains, this.#missingDomains, this.#links, this.#missingLinks]) cache.clear();
  }

  async find(host: string, alias: string): Promise<Found> {
    // While the database is away, what is remembered serves: what others change in it meanwhile is not seen.
    await this.#revisions.freshOrAway();
    const domain = await this.#domainOf(host);
    return { domain, link: isAlias(alias) ? await this.#linkOf(domain, alias) : null };
  }

  async #linkOf({ id: domainId }: Domain, alias: string): Promise<FoundLink | null> {
    const key = `${domainId} ${alias}`;
    const known = this.#links.get(key) ?? (this.#missingLinks.has(key) ? null : undefined);
    this.#metrics?.lookup(known === undefined ? 'miss' : 'hit');
    if (known !== undefined) return known;
    const generation = this.#generation;
    const link = await this.#read({ domainId_alias: { domainId, alias } });
    if (generation !== this.#generation) return link;
    if (link === null) this.#missingLinks.set(key, true);
    else if (link.expirationClicks === null) this.#links.set(key, link);
    return link;
  }

  /** The link as it is in the database. */
  reload(id: number): Promise<FoundLink | null> {
    return this.#read({ id });
  }

  async #read(where: Prisma.LinkWhereUniqueInput): Promise<FoundLink | null> {
    const link = await this.#db.link.findUnique({
      where,
      include: { counter: true, pixels: { include: { pixel: true }, orderBy: { pixelId: 'asc' } } },
    });
    if (link === null) return null;
    const { counter, pixels, ...row } = link;
    const { clicks, turns } = counter ?? { clicks: 0, turns: 0 };
    return { ...row, clicks, turns, pixels: pixels.map(({ pixel }) => pixel) };
  }

  /** A host that is no domain of the service counts as the default one. */
  async #domainOf(host: string): Promise<Domain> {
    const name = normalizeHost(host);
    if (name === null) return this.#default();
    return (await this.#domainNamed(name)) ?? (await this.#domainNamed(withoutPort(name))) ?? this.#default();
  }

  async #domainNamed(name: string): Promise<Domain | null> {
    const known = this.#domains.get(name) ?? (this.#missingDomains.has(name) ? null : undefined);
    if (known !== undefined) return known;
    const generation = this.#generation;
    const found = await this.#db.domain.findUnique({ where: { name } });
    const domain = found && servesVisitors(found, this.#site) ? found : null;
    if (generation !== this.#generation) return domain;
    if (domain === null) this.#missingDomains.set(name, true);
    else this.#domains.set(name, domain);
    return domain;
  }

  async #default(): Promise<Domain> {
    if (this.#defaultDomain) return this.#defaultDomain;
    const generation = this.#generation;
    const domain = await this.#db.domain.findUniqueOrThrow({ where: { id: this.#site.defaultDomainId } });
    if (generation === this.#generation) this.#defaultDomain = domain;
    return domain;
  }
}

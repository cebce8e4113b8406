import { LRUCache } from 'lru-cache';
import type { Db } from '../db/client.ts';
import type { Revisions } from '../db/revisions.ts';
import { normalizeHost } from '../domain/url.ts';
import type { Domain, Link, Pixel, Prisma } from '../generated/sqlite/client.ts';
import type { Metrics } from '../http/metrics.ts';

const REMEMBERED = 20_000;
/** How long a process believes that there is no such link or domain, in milliseconds: new ones are not told of. */
const NEGATIVE_FOR = 900;

export type FoundLink = Link & { readonly pixels: readonly Pixel[] };

/** What a visitor asks for: the domain that answers for the host, and its link with that alias. */
export interface Found {
  readonly domain: Domain;
  readonly link: FoundLink | null;
}

/**
 * Finds links for visitors, from memory where it can. Whatever changes what visitors get empties it: here at once, by
 * `clear`, and within a second on every other process. A link that ends by clicks is never remembered.
 */
export class LinkCache {
  readonly #db: Db;
  readonly #revisions: Revisions;
  readonly #defaultDomainId: number;
  readonly #domains = new LRUCache<string, Domain>({ max: 1_000, ttl: NEGATIVE_FOR });
  readonly #found = new LRUCache<string, Found>({ max: REMEMBERED });
  readonly #metrics: Metrics | undefined;
  /** Raised at each clearing: what was read before it is not remembered after it. */
  #generation = 0;

  constructor(db: Db, revisions: Revisions, defaultDomainId: number, metrics?: Metrics) {
    this.#metrics = metrics;
    this.#db = db;
    this.#revisions = revisions;
    this.#defaultDomainId = defaultDomainId;
    revisions.watch('links', () => this.clear());
  }

  clear(): void {
    this.#generation++;
    this.#domains.clear();
    this.#found.clear();
  }

  async find(host: string, alias: string): Promise<Found> {
    // While the database is away, what is remembered serves: nothing can have been changed in it.
    await this.#revisions.fresh().catch(() => {});
    const key = `${host} ${alias}`;
    const known = this.#found.get(key);
    this.#metrics?.lookup(known ? 'hit' : 'miss');
    if (known) return known;
    const generation = this.#generation;
    const domain = await this.#domainOf(host);
    const link = await this.#read({ domainId_alias: { domainId: domain.id, alias } });
    const found: Found = { domain, link };
    if (generation === this.#generation && (link === null || link.expirationClicks === null))
      this.#found.set(key, found, link === null ? { ttl: NEGATIVE_FOR } : {});
    return found;
  }

  /** The link as it is in the database. */
  reload(id: number): Promise<FoundLink | null> {
    return this.#read({ id });
  }

  async #read(where: Prisma.LinkWhereUniqueInput): Promise<FoundLink | null> {
    const link = await this.#db.link.findUnique({
      where,
      include: { pixels: { include: { pixel: true }, orderBy: { pixelId: 'asc' } } },
    });
    return link && { ...link, pixels: link.pixels.map(({ pixel }) => pixel) };
  }

  /** A host that is no domain of the service counts as the default one. */
  async #domainOf(host: string): Promise<Domain> {
    const known = this.#domains.get(host);
    if (known) return known;
    const name = normalizeHost(host) ?? '';
    const names = [name, name.replace(/:\d+$/, '')];
    const generation = this.#generation;
    const [found] = await this.#db.domain.findMany({
      where: { name: { in: names } },
      orderBy: { name: 'desc' },
    });
    const domain =
      found ?? (await this.#db.domain.findUniqueOrThrow({ where: { id: this.#defaultDomainId } }));
    if (generation === this.#generation) this.#domains.set(host, domain);
    return domain;
  }
}

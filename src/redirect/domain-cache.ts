import { LRUCache } from 'lru-cache';
import type { Data } from '../db/database.ts';
import { readServedHosts } from '../db/reading/served-hosts.ts';
import type { Services } from '../domain/services.ts';
import { servesVisitors } from '../domain/short-domain/domain.ts';
import { namesServing } from '../domain/short-domain/host.ts';
import { normalizeHost, withoutPort } from '../engine/rules/url.ts';
import { growingTo } from '../engine/tools/growing-cache.ts';
import type { Domain, Prisma } from '../generated/sqlite/client.ts';
import { NO_CHANGE, type Reading } from './freshness.ts';
import { MISSING_FRESH_FOR, ReadCache, type Shared } from './read-cache.ts';
import type { VisitWait } from './visit-wait.ts';

/** The maximum number of cached domains, and of requested hosts. */
const MAX_DOMAINS = 10_000;
const MAX_HOSTS = 2_000;
/** A list of more hosts than this is read no more often because domains change. */
const MAX_READ_AT_ONCE = 2_000;
/** Hosts longer than any name, in characters, are not cached. */
const MAX_NAME_LENGTH = 255;
/** The key of the default domain: no name is empty. */
const DEFAULT = '';

/** Reads domains from a database that has their last known change. */
export type ReadDomains = <T>(ask: (db: Data) => Promise<T>) => Promise<Reading<T>>;

/** Finds the domains of hosts for visitors, with a cache. */
export class DomainCache {
  readonly #read: ReadDomains;
  readonly #services: Pick<Services, 'defaultDomainId' | 'verifiesDomains' | 'consoleHost'>;
  /** By name. */
  readonly #domains: ReadCache<Domain>;
  /** The hosts of all domains that serve visitors, without ports, in one entry. */
  readonly #listed: ReadCache<ReadonlySet<string>>;
  /** The names that serve a host. */
  readonly #names = new LRUCache<string, readonly string[]>({ max: MAX_HOSTS });

  constructor(
    read: ReadDomains,
    services: Pick<Services, 'defaultDomainId' | 'verifiesDomains' | 'consoleHost'>,
    shared: Shared,
  ) {
    this.#read = read;
    this.#services = services;
    const { freshness } = shared;
    this.#domains = new ReadCache(
      shared,
      new LRUCache(growingTo(MAX_DOMAINS)),
      () => freshness.lastOfDomains,
    );
    this.#listed = new ReadCache(
      shared,
      new LRUCache({ max: 1 }),
      (hosts) => (hosts !== null && hosts.size > MAX_READ_AT_ONCE ? NO_CHANGE : freshness.lastOfDomains),
      MISSING_FRESH_FOR,
    );
  }

  /** Empties the cache after a change of any domain. */
  clear(): void {
    this.#domains.clear();
    if ((this.#listed.get('')?.size ?? 0) <= MAX_READ_AT_ONCE) this.#listed.clear();
  }

  /** The domain of a host; the default domain for an unknown host. */
  async find(host: string, wait: VisitWait): Promise<Domain> {
    for (const name of this.#listNames(host)) {
      const domain = await this.#serving(name, { name }, wait);
      if (domain !== null) return domain;
    }
    const where = { id: this.#services.defaultDomainId };
    const ask = () => this.#read(({ prisma }) => prisma.domain.findUnique({ where }));
    const domain = await this.#domains.find(DEFAULT, ask, wait);
    if (domain === null) throw new Error('there is no default domain');
    return domain;
  }

  /** Returns the cached domain of a host without waiting; undefined if it is not cached or no longer fresh. */
  findNow(host: string): Domain | undefined {
    for (const name of this.#listNames(host)) {
      const known = this.#domains.get(name);
      if (known !== null) return known;
    }
    return this.#domains.get(DEFAULT) ?? undefined;
  }

  /**
   * True if pages for people are served on a host: on the console's own, if it has one. Otherwise everywhere except on
   * an account's domain that serves visitors. Ports make no difference, since they share cookies.
   * @throws if the host cannot be read
   */
  async servesPeople(host: string, wait: VisitWait): Promise<boolean> {
    const names = this.#listNames(host);
    if (names.length === 0 || host.includes(',')) throw new Error('the host cannot be read');
    const { consoleHost } = this.#services;
    if (consoleHost !== null) return withoutPort(names[0] ?? '') === consoleHost;
    const domain = await this.find(host, wait);
    if (names.includes(domain.name)) return domain.accountId === null;
    const hostKey = withoutPort(names[0] ?? '');
    // No name begins with a colon.
    const own = await this.#serving(`:${hostKey}`, { hostKey, accountId: { not: null } }, wait);
    return own === null;
  }

  /**
   * True if a domain serves visitors of a host, at any port. Strangers may ask for any number of hosts, so all share a
   * query.
   */
  async serves(host: string, wait: VisitWait): Promise<boolean> {
    const hostKey = withoutPort(this.#listNames(host)[0] ?? '');
    if (hostKey === '') return false;
    const ask = () => this.#read((db) => readServedHosts(db, this.#services.verifiesDomains));
    const hosts = await this.#listed.find('', ask, wait);
    return hosts?.has(hostKey) ?? false;
  }

  #listNames(host: string): readonly string[] {
    const known = this.#names.get(host);
    if (known !== undefined) return known;
    const name = normalizeHost(host);
    const names = name === null ? [] : namesServing(name);
    if (host.length <= MAX_NAME_LENGTH) this.#names.set(host, names);
    return names;
  }

  /** A domain that serves visitors; null for none. That of a disabled account leads nowhere by itself. */
  #serving(key: string, where: Prisma.DomainWhereInput, wait: VisitWait): Promise<Domain | null> {
    const ask = async () => {
      const orderBy = { verifiedAt: { sort: 'desc', nulls: 'last' } } as const;
      const include = { account: { select: { disabledAt: true } } };
      const read = await this.#read(({ prisma }) => prisma.domain.findFirst({ where, orderBy, include }));
      const { found } = read;
      if (found === null || !servesVisitors(found, this.#services)) return { ...read, found: null };
      const isDisabled = found.account !== null && found.account.disabledAt !== null;
      return isDisabled
        ? { ...read, found: { ...found, rootUrl: null, notFoundUrl: null, apps: null } }
        : read;
    };
    // Most unknown hosts are other names of this service, so old entries may be used.
    return this.#domains.find(key, ask, wait, true);
  }
}

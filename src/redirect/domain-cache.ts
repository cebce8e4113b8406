import { LRUCache } from 'lru-cache';
import type { Data } from '../db/database.ts';
import type { Services } from '../domain/services.ts';
import { servesVisitors } from '../domain/short-domain/verification.ts';
import { namesServing, normalizeHost, withoutPort } from '../domain/url.ts';
import type { Domain, Prisma } from '../generated/sqlite/client.ts';
import { growingTo } from '../shared/growing-cache.ts';
import type { CacheEntry, CoalescedReads, RunningRead } from './coalesced-reads.ts';

/** The maximum number of cached domains, and of unknown names: anyone can request any number of names. */
const MAX_DOMAINS = 10_000;
const MAX_MISSING = 2_000;
/** Hosts longer than any name, in characters, are not cached. */
const MAX_NAME_LENGTH = 255;

/** Finds the domains of hosts for visitors, with a cache. */
export class DomainCache {
  readonly #db: Data;
  readonly #services: Pick<Services, 'defaultDomainId' | 'verifiesDomains'>;
  readonly #reads: CoalescedReads;
  readonly #running = new Map<string, RunningRead<Domain>>();
  /** By name. */
  readonly #domains = new LRUCache<string, CacheEntry<Domain>>(growingTo(MAX_DOMAINS));
  readonly #missing = new LRUCache<string, CacheEntry<Domain>>({ max: MAX_MISSING });
  /** The names that serve a host. */
  readonly #names = new LRUCache<string, readonly string[]>({ max: MAX_MISSING });
  #default: CacheEntry<Domain> | null = null;
  /** The version of the last change of a domain. */
  #changed = 0;

  constructor(
    db: Data,
    services: Pick<Services, 'defaultDomainId' | 'verifiesDomains'>,
    reads: CoalescedReads,
  ) {
    this.#db = db;
    this.#services = services;
    this.#reads = reads;
  }

  /** Empties the cache after a change of any domain. */
  clear(version: number): void {
    this.#changed = version;
    this.#default = null;
    this.#domains.clear();
    this.#missing.clear();
  }

  /** The domain of a host; the default domain for an unknown host. */
  async find(host: string): Promise<Domain> {
    for (const name of this.#namesOf(host)) {
      const domain = await this.#named(name);
      if (domain !== null) return domain;
    }
    return this.#findDefault();
  }

  /** The same without waiting, if it is cached and fresh; else undefined. */
  findNow(host: string): Domain | undefined {
    for (const name of this.#namesOf(host)) {
      const known = this.#entryOf(name);
      if (known === undefined || !this.#reads.isFresh(known)) return undefined;
      if (known.value !== null) return known.value;
    }
    const known = this.#default;
    return known?.value && this.#reads.isFresh(known) ? known.value : undefined;
  }

  /**
   * Whether pages for people are served on a host: not on an account's own domain that serves visitors, where the scripts of
   * pixels run. Ports make no difference, since they share cookies.
   * @throws if the host cannot be read, so that neither the pages nor pixels outside a frame are served on it
   */
  async servesPeople(host: string): Promise<boolean> {
    if (this.#namesOf(host).length === 0 || host.includes(',')) throw new Error('the host cannot be read');
    const domain = await this.find(host);
    const names = this.#namesOf(host);
    if (names.includes(domain.name)) return domain.accountId === null;
    const hostKey = withoutPort(names[0] ?? '');
    // No name begins with a colon.
    const own = await this.#serving(`:${hostKey}`, { hostKey, accountId: { not: null } });
    return own === null;
  }

  #entryOf(name: string): CacheEntry<Domain> | undefined {
    return this.#domains.get(name) ?? this.#missing.get(name);
  }

  #namesOf(host: string): readonly string[] {
    const known = this.#names.get(host);
    if (known !== undefined) return known;
    const name = normalizeHost(host);
    const names = name === null ? [] : namesServing(name);
    if (host.length <= MAX_NAME_LENGTH) this.#names.set(host, names);
    return names;
  }

  #named(name: string): Promise<Domain | null> {
    return this.#serving(name, { name });
  }

  /** A domain that serves visitors; null for none. */
  #serving(key: string, where: Prisma.DomainWhereInput): Promise<Domain | null> {
    const ask = async () => {
      const orderBy = { verifiedAt: { sort: 'desc', nulls: 'last' } } as const;
      const found = await this.#db.prisma.domain.findFirst({ where, orderBy });
      return found && servesVisitors(found, this.#services) ? found : null;
    };
    const keep = (entry: CacheEntry<Domain>, version: number) => {
      if (this.#changed <= version) (entry.value === null ? this.#missing : this.#domains).set(key, entry);
    };
    const read = { running: this.#running, key, cached: () => this.#entryOf(key), ask, keep };
    // Most unknown hosts are other names of this service, so old entries may be used.
    return this.#reads.find(read, true);
  }

  async #findDefault(): Promise<Domain> {
    const where = { id: this.#services.defaultDomainId };
    const domain = await this.#reads.find({
      running: this.#running,
      // No name is empty.
      key: '',
      cached: () => this.#default,
      ask: () => this.#db.prisma.domain.findUnique({ where }),
      keep: (entry, version) => {
        if (this.#changed <= version) this.#default = entry;
      },
    });
    if (domain === null) throw new Error('there is no default domain');
    return domain;
  }
}

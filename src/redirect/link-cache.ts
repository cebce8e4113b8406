import { LRUCache } from 'lru-cache';
import type { Database } from '../db/database.ts';
import { readBranded } from '../db/reading/brand-for-visit.ts';
import { readVisitedLink, type VisitedRow } from '../db/reading/link-for-visit.ts';
import { type BrandColumns, hasBrand } from '../domain/access/brand.ts';
import { type Candidate, isItself, listCandidates, type PathMeaning } from '../domain/link/alias.ts';
import { parseRules, readStoredRules } from '../domain/rule/parse.ts';
import type { ParsedRules } from '../domain/rule/parsed.ts';
import type { Services } from '../domain/services.ts';
import { type AppFile, appFiles, readApps } from '../domain/short-domain/apps.ts';
import { servesApps } from '../domain/short-domain/domain.ts';
import { DatabaseAway } from '../engine/db/errors.ts';
import { requireReadable } from '../engine/db/readable.ts';
import type { Domain } from '../generated/sqlite/client.ts';
import { CachedLinks } from './cached-links.ts';
import { DomainCache } from './domain-cache.ts';
import { type Affected, Freshness, listAffected, NO_CHANGE, type Reading } from './freshness.ts';
import { MISSING_FRESH_FOR, ReadCache } from './read-cache.ts';
import type { VisitDatabases } from './visit-databases.ts';
import { VisitWait } from './visit-wait.ts';
import { WaitingReads } from './waiting-reads.ts';

/** A link with its rules, which are parsed once. */
export type FoundLink = Omit<VisitedRow, 'rules'> & { readonly rules: ParsedRules };

/** Reads a link as visits need it. */
async function readFound(...given: Parameters<typeof readVisitedLink>): Promise<FoundLink | null> {
  const row = await readVisitedLink(...given);
  return row && { ...row, rules: parseRules(readStoredRules(row.rules)) };
}

type LinkOrNone = { readonly id: number } | null;

/** The domain of a visit's host, and its link with the alias. */
export interface LinkLookup {
  readonly domain: Domain;
  readonly link: FoundLink | null;
  /** The segments of the path behind the link's alias, which go on to the destination; absent for none. */
  readonly rest?: readonly string[];
}

/** Maximum number of links of which is known that no alias is below theirs. */
const MAX_ALONE = 2_000;

/** A brand, or that there is none: most accounts have none, which is kept as long. */
interface KnownBrand {
  readonly brand: BrandColumns | null;
}

/** Maximum number of cached brands. */
const MAX_BRANDS = 1_000;

/** The key of an alias on a domain: a number, and what has no space. It is made for each visit, so it is short. */
function makeKey(domainId: number, alias: string): string {
  return `${domainId} ${alias}`;
}

interface LookupMetrics {
  lookup(cache: 'hit' | 'miss'): void;
}

/**
 * Finds the domain and the link of a visit, the hosts that are served, and the destinations of their roots. Links and domains
 * are cached (`read-cache.ts`, `cached-links.ts`, `domain-cache.ts`); `freshness.ts` says for how long. A change removes the
 * links that it affects, and all domains or all unknown aliases if it may affect one: this process's own changes at once,
 * those of others within a second while a database answers.
 */
export class LinkCache {
  readonly #databases: VisitDatabases;
  readonly #metrics: LookupMetrics | undefined;
  readonly #freshness: Freshness;
  readonly #waiting: WaitingReads;
  readonly #domains: DomainCache;
  readonly #stored: CachedLinks;
  readonly #links: ReadCache<FoundLink>;
  /** By the account's id; that of the only account by the empty key. */
  readonly #brands: ReadCache<KnownBrand>;
  /** Times at which links were read below whose alias there was none, by the keys of their aliases. */
  readonly #alone = new LRUCache<string, number>({ max: MAX_ALONE });

  constructor(
    databases: VisitDatabases,
    services: Pick<Services, 'defaultDomainId' | 'verifiesDomains' | 'consoleHost'>,
    megabytes: number,
    metrics?: LookupMetrics,
  ) {
    this.#metrics = metrics;
    this.#databases = databases;
    const freshness = new Freshness(databases);
    const waiting = new WaitingReads(databases);
    this.#freshness = freshness;
    this.#waiting = waiting;
    this.#stored = new CachedLinks(megabytes);
    this.#links = new ReadCache({ freshness, waiting }, this.#stored, (link) => freshness.lastOfLink(link));
    this.#brands = new ReadCache(
      { freshness, waiting },
      new LRUCache({ max: MAX_BRANDS }),
      () => freshness.lastOfBrands,
    );
    this.#domains = new DomainCache((ask) => databases.read(ask, () => freshness.lastOfDomains), services, {
      freshness,
      waiting,
    });
    for (const { database } of databases.all)
      database.changes
        .on('change', (change) => this.#forget(listAffected(change), change.tx))
        .on('many', (account, tx) => this.#forget({ account }, tx));
  }

  /** Removes what a change affects from the cache. */
  #forget(affected: Affected, tx = 0): void {
    this.#freshness.hear(affected, tx);
    const { link, pixel, account, aliases, domains, brands } = affected;
    if (link !== undefined) this.#stored.forget(link);
    if (pixel !== undefined) this.#stored.forgetWhere(({ pixels }) => pixels.some(({ id }) => id === pixel));
    if (account !== undefined) this.#stored.forgetWhere(({ accountId }) => accountId === account);
    if (aliases || account !== undefined) {
      this.#links.clearMissing();
      this.#alone.clear();
    }
    if (domains) this.#domains.clear();
    if (brands) this.#brands.clear();
  }

  /** @param wait how long it waits for what it knows: while the database is down, without the changes of others */
  async find(host: string, alias: string, wait = new VisitWait()): Promise<LinkLookup> {
    await this.#databases.freshIfAvailable(wait);
    const domain = await this.#domains.find(host, wait);
    return { domain, link: await this.#findLink(domain, alias, wait) };
  }

  /**
   * Finds the link of a path with any meaning: the first alias that exists, or else, on a domain that forwards paths, the
   * longest at its beginning.
   */
  async findMeant(host: string, meaning: PathMeaning, wait = new VisitWait()): Promise<LinkLookup> {
    await this.#databases.freshIfAvailable(wait);
    const domain = await this.#domains.find(host, wait);
    const candidates = listCandidates(meaning, domain.forwardsPath);
    const [only, ...others] = candidates;
    if (only === undefined) return { domain, link: null };
    if (others.length === 0 && only.rest === undefined)
      return { domain, link: await this.#findLink(domain, only.alias, wait) };
    return { domain, ...(await this.#findFirst(domain, candidates, wait)) };
  }

  /** The link of the first candidate that exists. */
  async #findFirst(
    { id: domainId }: Domain,
    candidates: readonly Candidate[],
    wait: VisitWait,
  ): Promise<Pick<LinkLookup, 'link' | 'rest'>> {
    const known = this.#findAlone(domainId, candidates);
    if (known !== undefined) {
      this.#metrics?.lookup('hit');
      return known;
    }
    const names = candidates.map(({ alias }) => alias);
    const keys = names.map((alias) => makeKey(domainId, alias));
    const start = this.#freshness.beginRead();
    let [isRead, isWhole] = [false, false];
    const first = await this.#links.findFirst(
      keys,
      async (from) => {
        isRead = true;
        const read = await this.#databases.read(
          (db) => readFound(db, { domainId, aliases: names.slice(from) }),
          (link) => this.#freshness.lastOfFirst(link),
        );
        const { found: value, isComplete } = read;
        isWhole = isComplete;
        const at = value === null ? -1 : names.indexOf(value.alias, from);
        return { found: value === null || at === -1 ? null : { value, at }, isComplete };
      },
      wait,
    );
    this.#metrics?.lookup(isRead ? 'miss' : 'hit');
    if (first === null) return { link: null };
    const { value: link, at } = first;
    if (isRead && isWhole && link.isAlone && this.#freshness.has(start, this.#freshness.lastOfFirst(link)))
      this.#alone.set(keys[at] ?? '', start.at);
    const { rest } = candidates[at] ?? {};
    return { link, ...(rest && { rest }) };
  }

  /** A cached link below whose alias there is none, if all candidates before it are below it. */
  #findAlone(
    domainId: number,
    candidates: readonly Candidate[],
  ): Pick<LinkLookup, 'link' | 'rest'> | undefined {
    for (const [at, { alias, rest }] of candidates.entries()) {
      const key = makeKey(domainId, alias);
      if (rest === undefined || !this.#isAlone(key)) continue;
      if (!candidates.slice(0, at).every((one) => one.alias.startsWith(`${alias}/`))) return undefined;
      const link = this.#links.get(key);
      return link ? { link, rest } : undefined;
    }
    return undefined;
  }

  /** True if no alias is below the one with this key. */
  #isAlone(key: string): boolean {
    const readAt = this.#alone.get(key);
    return readAt !== undefined && this.#freshness.isFresh(readAt, MISSING_FRESH_FOR);
  }

  /** The domain of a host; the default domain for an unknown host. */
  async findDomain(host: string, wait = new VisitWait()): Promise<Domain> {
    await this.#databases.freshIfAvailable(wait);
    return this.#domains.find(host, wait);
  }

  /** Where the root of a host leads; null for a page of the service. */
  async findRootUrl(host: string, wait = new VisitWait()): Promise<string | null> {
    await this.#databases.freshIfAvailable(wait);
    const { name, rootUrl } = await this.#domains.find(host, wait);
    return rootUrl === null || isItself(rootUrl, '/', [host, name]) ? null : rootUrl;
  }

  /**
   * The brand that pages on a domain show: that of the account whose verified domain it is, or of the only account on one of the
   * service's. Null for none, and if the database cannot tell.
   */
  async findBrand(
    { accountId, verifiedAt }: Pick<Domain, 'accountId' | 'verifiedAt'>,
    link: Pick<FoundLink, 'accountId'> | null,
    wait = new VisitWait(),
  ): Promise<BrandColumns | null> {
    const isOthers = link !== null && link.accountId !== accountId;
    if (accountId !== null && (verifiedAt === null || isOthers)) return null;
    const key = accountId === null ? '' : String(accountId);
    if (this.#databases.away) return this.#brands.get(key)?.brand ?? null;
    const ask = async () => {
      const { lastOfBrands } = this.#freshness;
      const read = await this.#databases.read(
        (db) => readBranded(db, accountId),
        () => lastOfBrands,
      );
      const { found: account } = read;
      return { ...read, found: { brand: account !== null && hasBrand(account) ? account : null } };
    };
    const known = await this.#brands.find(key, ask, wait).catch(() => null);
    return known?.brand ?? null;
  }

  /** A file that systems of phones ask a host for, as JSON; null if its domain has no apps for it. */
  async findAppFile(host: string, file: AppFile, wait = new VisitWait()): Promise<string | null> {
    await this.#databases.freshIfAvailable(wait);
    const domain = await this.#domains.find(host, wait);
    const content = servesApps(domain) ? appFiles[file](readApps(domain)) : null;
    return content && JSON.stringify(content);
  }

  /** True if pages for people are served on a host. */
  async servesPeople(host: string, wait = new VisitWait()): Promise<boolean> {
    await this.#databases.freshIfAvailable(wait);
    return this.#domains.servesPeople(host, wait);
  }

  /** True if a domain serves visitors of a host, at any port. */
  async serves(host: string, wait = new VisitWait()): Promise<boolean> {
    await this.#databases.freshIfAvailable(wait);
    return this.#domains.serves(host, wait);
  }

  /** Returns the result of `find` without waiting; undefined if a part of it is not cached or no longer fresh. */
  findNow(host: string, alias: string): LinkLookup | undefined {
    const domain = this.#databases.isFresh ? this.#domains.findNow(host) : undefined;
    if (domain === undefined) return undefined;
    const link = this.#links.get(makeKey(domain.id, alias));
    if (!link) return undefined;
    this.#metrics?.lookup('hit');
    return { domain, link };
  }

  /** Writes to the primary. @throws DatabaseAway at once while it does not answer: a visitor would wait for its timeout */
  async writeToPrimary<T>(write: () => Promise<T>): Promise<T> {
    if (this.#databases.primary.feed.away) throw new DatabaseAway('the primary does not answer');
    return write();
  }

  /** Reads something of a link, unless no database answers and too many already wait for it. */
  async read<T extends LinkOrNone>(ask: (db: Database) => Promise<T>): Promise<T> {
    const { found } = await this.#waiting.run(() => this.#read(ask));
    return found;
  }

  #read<T extends LinkOrNone>(ask: (db: Database) => Promise<T>): Promise<Reading<T>> {
    return this.#databases.read(ask, (link) => this.#freshness.lastOfLink(link));
  }

  /** @throws if links can be read from no database with all migrations, or none tells of changes */
  async requireSource(): Promise<void> {
    await this.#databases.read(requireReadable, () => NO_CHANGE);
    await this.#databases.requireAnswers();
  }

  #findLink({ id: domainId }: Domain, alias: string, wait: VisitWait): Promise<FoundLink | null> {
    const key = makeKey(domainId, alias);
    this.#metrics?.lookup(this.#links.get(key) === undefined ? 'miss' : 'hit');
    return this.#links.find(key, () => this.#read((db) => readFound(db, { domainId, alias })), wait);
  }

  /** Reads a link from the primary. */
  reload(id: number): Promise<FoundLink | null> {
    return readFound(this.#databases.primary.database, { id });
  }
}

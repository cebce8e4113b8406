import { LRUCache } from 'lru-cache';
import { type LoggedChange, onOwnChanges } from '../db/change/log.ts';
import type { Revisions } from '../db/change/revisions.ts';
import type { Db } from '../db/connection/client.ts';
import { DatabaseAway } from '../db/connection/errors.ts';
import { readVisitedLink, type VisitedRow } from '../db/reading/visited-link.ts';
import { servesVisitors } from '../domain/domain/domain.ts';
import { isAlias } from '../domain/link/alias.ts';
import type { Site } from '../domain/link/link.ts';
import { normalizeHost, withoutPort } from '../domain/url.ts';
import type { Domain } from '../generated/sqlite/client.ts';
import type { Metrics } from '../http/metrics.ts';
import { LATE, within } from '../within.ts';

/** How many links and domains a process remembers, and how much memory the links may take, in bytes. */
const MAX_LINKS = 20_000;
const MAX_BYTES = 64_000_000;
const MAX_DOMAINS = 10_000;
/** How much of what does not exist it remembers: strangers can ask for any number of names. */
const MAX_MISSING = 2_000;
/** Hosts that are longer than any name, in characters, are read anew each time. */
const LONGEST_NAME = 255;
/** How long it believes that something does not exist, in milliseconds: new records are not told of everywhere. */
const MISSING_FOR = 900;
/** After how long it looks again, in milliseconds: what is changed by hand stands in no log. */
const TRUSTED_FOR = 60_000;
/** How long a visit waits where it is looked again, in milliseconds. */
const LOOKED_AGAIN_WITHIN = 200;
/** How many questions may wait for a database that does not answer; more are refused at once. */
const MAX_WAITING = 20;

export type FoundLink = VisitedRow;

/** What a visitor asks for: the domain that answers for the host, and its link with that alias. */
export interface Found {
  readonly domain: Domain;
  readonly link: FoundLink | null;
}

/** What is remembered; null of what does not exist. */
interface Remembered<T> {
  readonly value: T | null;
  readonly readAt: number;
}

/** About how many bytes a link takes. */
function sizeOf({ value }: Remembered<FoundLink>): number {
  const { pixels = [], ...link } = value ?? {};
  const texts = [...Object.values(link), ...pixels.flatMap((pixel) => Object.values(pixel))];
  return 1_000 + texts.reduce<number>((sum, one) => sum + (typeof one === 'string' ? 2 * one.length : 0), 0);
}

/**
 * Finds links for visitors, from memory where it can. What a change concerns is forgotten: of this process's own changes at
 * once, of others' within a second. A link that ends by clicks is never remembered. What does not exist is remembered apart,
 * so that no number of guesses drives out what does. While the database is away, what is remembered serves for as long as
 * that lasts.
 */
export class LinkCache {
  readonly #db: Db;
  readonly #revisions: Revisions;
  readonly #site: Pick<Site, 'defaultDomainId' | 'verifiesDomains'>;
  readonly #metrics: Metrics | undefined;
  /** By name. */
  readonly #domains = new LRUCache<string, Remembered<Domain>>({ max: MAX_DOMAINS });
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
  /** Under which key each link is remembered. */
  readonly #keys = new Map<number, string>();
  #defaultDomain: Remembered<Domain> | null = null;
  /** Of the hosts that were asked for last. */
  readonly #names = new LRUCache<string, readonly string[]>({ max: MAX_MISSING });
  /** Raised with each change. What was read before the last one that concerns it is not remembered. */
  #now = 0;
  readonly #lastChanges = { names: 0, pixels: 0, domains: 0 };
  readonly #lastOfLink = new LRUCache<number, number>({ max: MAX_LINKS });
  #waiting = 0;

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
    /** What this process did itself is told of by the log once more. */
    const own = new LRUCache<number, true>({ max: MAX_LINKS });
    revisions.feed.listen({ onChange: (change) => own.delete(change.id) || this.#forget(change) });
    onOwnChanges(db, (changes) => {
      for (const change of changes) {
        own.set(change.id, true);
        this.#forget(change);
      }
    });
  }

  /** Forgets what a change concerns. */
  #forget({
    kind,
    action,
    recordId,
    fields,
  }: Pick<LoggedChange, 'kind' | 'action' | 'recordId'> & { fields: string | readonly string[] }): void {
    const now = ++this.#now;
    if (kind === 'LINK' && action !== 'CREATED') {
      this.#lastOfLink.set(recordId, now);
      this.#forgetLink(recordId);
    }
    // A name that nothing had may be that of a link now.
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

  async find(host: string, alias: string): Promise<Found> {
    // While the database is away, what is remembered serves: what others change in it meanwhile is not seen.
    await this.#revisions.freshOrAway();
    const domain = await this.#domainOf(host);
    return { domain, link: isAlias(alias) ? await this.#linkOf(domain, alias) : null };
  }

  /** The same at once, where all of it is remembered and known to be so still; else undefined. */
  findNow(host: string, alias: string): Found | undefined {
    const domain = this.#revisions.isFresh ? this.#domainNow(host) : undefined;
    if (domain === undefined) return undefined;
    const link = this.#links.get(`${domain.id} ${alias}`);
    if (!link?.value || !this.#isTrusted(link)) return undefined;
    this.#metrics?.lookup('hit');
    return { domain, link: link.value };
  }

  #domainNow(host: string): Domain | undefined {
    let known: Remembered<Domain> | null | undefined;
    for (const name of this.#namesOf(host)) {
      known = this.#domains.get(name) ?? this.#missingDomains.get(name);
      if (known === undefined || !this.#isTrusted(known)) return undefined;
      if (known.value !== null) return known.value;
    }
    known = this.#defaultDomain;
    return known?.value && this.#isTrusted(known) ? known.value : undefined;
  }

  /** Does what asks the database, unless that is away and enough wait for it already. */
  async askDatabase<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#revisions.away && this.#waiting >= MAX_WAITING)
      throw new DatabaseAway('the database does not answer');
    this.#waiting++;
    return ask().finally(() => {
      this.#waiting--;
    });
  }

  /** Whether what is remembered counts: for a while, and for as long as the database is away. */
  #isTrusted({ value, readAt }: Remembered<unknown>): boolean {
    if (this.#revisions.away) return true;
    return performance.now() - readAt < (value === null ? MISSING_FOR : TRUSTED_FOR);
  }

  /**
   * What is remembered, or else what the database says, which is given to `remember` with the number of the last change before.
   * What is only to be looked at again serves where the database does not answer soon; that there was nothing, where
   * `missingServes`.
   */
  async #lookUp<T>(
    known: Remembered<T> | null | undefined,
    ask: () => Promise<T | null>,
    remember: (remembered: Remembered<T>, at: number) => void,
    missingServes = false,
  ): Promise<T | null> {
    if (known && this.#isTrusted(known)) return known.value;
    const at = this.#now;
    const readAt = performance.now();
    const asked = this.askDatabase(ask).then((value) => {
      remember({ value, readAt }, at);
      return value;
    });
    if (!known || (known.value === null && !missingServes)) return asked;
    const { value } = known;
    const found = await within(
      LOOKED_AGAIN_WITHIN,
      asked.catch(() => value),
    );
    return found === LATE ? value : found;
  }

  #linkOf({ id: domainId }: Domain, alias: string): Promise<FoundLink | null> {
    const key = `${domainId} ${alias}`;
    const known = this.#links.get(key) ?? this.#missingLinks.get(key);
    this.#metrics?.lookup(known && this.#isTrusted(known) ? 'hit' : 'miss');
    const read = () => readVisitedLink(this.#db, { domainId, alias });
    return this.#lookUp(known, read, (remembered, at) => {
      const { value } = remembered;
      if (value === null) {
        this.#links.delete(key);
        if (this.#lastChanges.names <= at) this.#missingLinks.set(key, remembered);
        return;
      }
      // Under the alias that it had before, or with fewer clicks, it is not the same any more.
      const before = this.#keys.get(value.id);
      if (before !== undefined) this.#links.delete(before);
      const changed = Math.max(this.#lastOfLink.get(value.id) ?? 0, this.#lastChanges.pixels);
      if (changed <= at && value.expirationClicks === null) {
        this.#links.set(key, remembered);
        this.#keys.set(value.id, key);
      }
    });
  }

  /** The link as it is in the database. */
  reload(id: number): Promise<FoundLink | null> {
    return readVisitedLink(this.#db, { id });
  }

  /** A host that is no domain of the service counts as the default one. */
  async #domainOf(host: string): Promise<Domain> {
    for (const name of this.#namesOf(host)) {
      const domain = await this.#domainNamed(name);
      if (domain !== null) return domain;
    }
    return this.#default();
  }

  /** Under which names a domain would answer for the host. */
  #namesOf(host: string): readonly string[] {
    const known = this.#names.get(host);
    if (known !== undefined) return known;
    const name = normalizeHost(host);
    const names = name === null ? [] : [...new Set([name, withoutPort(name)])];
    if (host.length <= LONGEST_NAME) this.#names.set(host, names);
    return names;
  }

  #domainNamed(name: string): Promise<Domain | null> {
    const known = this.#domains.get(name) ?? this.#missingDomains.get(name);
    const read = async () => {
      const found = await this.#db.domain.findUnique({ where: { name } });
      return found && servesVisitors(found, this.#site) ? found : null;
    };
    const remember = (remembered: Remembered<Domain>, at: number) => {
      if (this.#lastChanges.domains > at) return;
      (remembered.value === null ? this.#missingDomains : this.#domains).set(name, remembered);
    };
    // Most hosts that are no domain are other names of this service.
    return this.#lookUp(known, read, remember, true);
  }

  async #default(): Promise<Domain> {
    const where = { id: this.#site.defaultDomainId };
    const read = () => this.#db.domain.findUnique({ where });
    const domain = await this.#lookUp(this.#defaultDomain, read, (remembered, at) => {
      if (this.#lastChanges.domains <= at) this.#defaultDomain = remembered;
    });
    if (domain === null) throw new Error('there is no default domain');
    return domain;
  }
}

import bowser from 'bowser';
import { LRUCache } from 'lru-cache';
import { HOST_NAME } from '../../engine/rules/url.ts';
import { MAX_HOST, parseUrl } from '../../engine/tools/parse-url.ts';
import { detectPlatform, matchLanguage, type Visitor } from '../visit/visitor.ts';
import type { Facts } from './parsed.ts';
import type { StoredVisitor } from './stored.ts';

/** The browser and the kind of device of a user agent, as statistics name them; null for what is not known. */
export interface Client {
  readonly browser: string | null;
  readonly device: 'desktop' | 'mobile' | 'tablet' | 'other' | null;
}

/** Only these names are used: for an unknown browser, bowser returns a name from the user agent, which clients control. */
const browsers: ReadonlySet<string> = new Set(Object.values(bowser.BROWSER_MAP));

function parseClient(userAgent: string): Client {
  const { browser, platform } = bowser.parse(userAgent || ' ');
  const { name = '' } = browser;
  // bowser knows no device of Chrome OS and the BSDs.
  const type = platform.type ?? (/\bX11;/.test(userAgent) ? 'desktop' : undefined);
  const known = type === 'desktop' || type === 'mobile' || type === 'tablet' ? type : 'other';
  return { browser: browsers.has(name) ? name : null, device: type === undefined ? null : known };
}

/** Few user agents make most visits. */
const clients = new LRUCache<string, Client>({ max: 2_000, memoMethod: parseClient });

/** The browser and the kind of device of a user agent. */
export function clientOf(userAgent: string): Client {
  return clients.memo(userAgent);
}

/** The app that apps for Android name as referrer, by its package. */
const ANDROID_APP = /^android-app:\/\/([^/?#]+)/i;
const IPV6_HOST = /^\[[\da-f:.]+\]$/;

/** The whole host of a Referer header, in lower case, without port and path; of an app for Android, its package. Null for none. */
export function hostOfReferrer(referrer: string): string | null {
  if (referrer === '') return null;
  const [, app] = ANDROID_APP.exec(referrer) ?? [];
  if (app !== undefined) return hostNamed(app.toLowerCase());
  const url = parseUrl(referrer);
  return url !== null && /^https?:$/.test(url.protocol) ? hostNamed(url.hostname.replace(/\.$/, '')) : null;
}

function hostNamed(name: string): string | null {
  return name.length <= MAX_HOST && (HOST_NAME.test(name) || IPV6_HOST.test(name)) ? name : null;
}

/** A host, and the domains that it is in: `a.b.c` is in `b.c` and `c`. Null for no host. */
export function domainsOf(host: string | null): ReadonlySet<string> | null {
  if (host === null) return null;
  const domains = new Set([host]);
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1))
    domains.add(host.slice(dot + 1));
  return domains;
}

/** The host of a referrer that people wrote: a URL, or a host alone. */
export function hostOfText(referrer: string): string | null {
  return hostOfReferrer(/^[\w+.-]+:\/\//.test(referrer) ? referrer : `http://${referrer}`);
}

/** Returns the first value of a query's parameter, decoded; undefined if it is missing. The query is parsed once, when it is asked for. */
export function readQuery(query: string): (name: string) => string | undefined {
  let values: Map<string, string> | undefined;
  return (name) => {
    values ??= firstValues(query);
    return values.get(name);
  };
}

function firstValues(query: string): Map<string, string> {
  const values = new Map<string, string>();
  // The parser drops one question mark at the start; a second one belongs to the first name.
  for (const [name, value] of new URLSearchParams(`?${query}`))
    if (!values.has(name)) values.set(name, value);
  return values;
}

const upper = { desktop: 'DESKTOP', mobile: 'MOBILE', tablet: 'TABLET', other: 'OTHER' } as const;

/** Facts that are found out when a condition asks for them, once. */
export class VisitFacts implements Facts {
  readonly at: number;
  readonly #visitor: Visitor;
  readonly #languages: readonly string[];
  #language: string | null | undefined;
  #platform: string | null | undefined;
  #referrers: ReadonlySet<string> | null | undefined;
  readonly query: (name: string) => string | undefined;

  /** @param languages all that the rules of the link name */
  constructor(visitor: Visitor, languages: readonly string[], at: number) {
    this.at = at;
    this.#visitor = visitor;
    this.#languages = languages;
    this.query = readQuery(visitor.query);
  }

  get country(): string | null {
    return this.#visitor.country;
  }

  get referrers(): ReadonlySet<string> | null {
    if (this.#referrers === undefined) this.#referrers = domainsOf(this.#visitor.referrerHost ?? null);
    return this.#referrers;
  }

  get language(): string | null {
    if (this.#language === undefined)
      this.#language = matchLanguage(this.#languages, this.#visitor)?.language ?? null;
    return this.#language;
  }

  get platform(): string | null {
    if (this.#platform === undefined) this.#platform = detectPlatform(this.#visitor);
    return this.#platform;
  }

  get browser(): string | null {
    return clientOf(this.#visitor.userAgent).browser;
  }

  get device(): string | null {
    const { device } = clientOf(this.#visitor.userAgent);
    return device && upper[device];
  }
}

/** The facts of a test's visitor. */
export function factsOfTest(
  {
    country,
    language,
    platform,
    device,
    browser,
    query = '',
    referrer = '',
    at,
    userAgent = '',
  }: StoredVisitor,
  languages: readonly string[],
): Facts {
  const found = userAgent === '' ? null : clientOf(userAgent);
  return {
    country: country ?? null,
    language: matchLanguage(languages, { acceptLanguage: language ?? '' })?.language ?? null,
    platform: platform ?? (userAgent === '' ? null : detectPlatform({ userAgent, platformHint: null })),
    device: device ?? (found?.device ? upper[found.device] : null),
    browser: browser ?? found?.browser ?? null,
    referrers: referrer === '' ? null : domainsOf(hostOfText(referrer)),
    query: readQuery(query.replace(/^\?/, '')),
    at: Date.parse(at),
  };
}

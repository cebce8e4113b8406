import bowser from 'bowser';
import iso6391 from 'iso-639-1';
import { LRUCache } from 'lru-cache';
import { kinds, type Value, visitValue } from '../../db/statistics/value.ts';
import { HOST_NAME } from '../url.ts';
import { preferredLanguage, systemOf, type Visitor } from './visitor.ts';

/** The size of each cache: few user agents, languages and referrers make most visits. */
const CACHE_SIZE = { max: 2_000 };

/** Only these names are used: for an unknown browser, bowser returns a name from the user agent, which clients control. */
const browsers: ReadonlySet<string> = new Set(Object.values(bowser.BROWSER_MAP));
const devices: ReadonlySet<string> = new Set(['desktop', 'mobile', 'tablet']);
const languages: ReadonlySet<string> = new Set(iso6391.getAllCodes());

const profiles = new LRUCache<string, readonly Value[]>(CACHE_SIZE);
const clients = new LRUCache<string, Value>(CACHE_SIZE);
const locales = new LRUCache<string, Value>(CACHE_SIZE);
const referrers = new LRUCache<string, { value: Value | null }>(CACHE_SIZE);
const destinations = new LRUCache<string, Value>(CACHE_SIZE);

/** @param key parts separated by line breaks, which no header contains: else visitors could make keys of others */
function remembering<Found extends object>(
  known: LRUCache<string, Found>,
  key: string,
  find: () => Found,
): Found {
  const before = known.get(key);
  if (before !== undefined) return before;
  const found = find();
  known.set(key, found);
  return found;
}

/** Browser, system and device, from the user agent and the client hint. */
function clientOf(visitor: Visitor): Value {
  const { userAgent, platformHint } = visitor;
  return remembering(clients, `${platformHint ?? ''}\n${userAgent}`, () => {
    const { browser, platform } = bowser.parse(userAgent || ' ');
    const { name = '' } = browser;
    // bowser knows no device of Chrome OS and the BSDs.
    const type = platform.type ?? (/\bX11;/.test(userAgent) ? 'desktop' : undefined);
    return visitValue(kinds.CLIENT, {
      browser: browsers.has(name) ? name : null,
      os: systemOf(visitor),
      device: type === undefined ? null : devices.has(type) ? type : 'other',
    });
  });
}

function localeOf({ country, acceptLanguage }: Visitor): Value {
  return remembering(locales, `${country ?? ''}\n${acceptLanguage}`, () =>
    visitValue(kinds.LOCALE, { country, language: preferredLanguage(acceptLanguage, languages) }),
  );
}

const IPV6_HOST = /^\[[\da-f:.]+\]$/;

/** The host of a Referer header, in lower case, without `www.`, port and path; null if it has none. */
export function referrerHost(referrer: string): string | null {
  const url = referrer === '' ? null : URL.parse(referrer);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  const host = url.hostname.replace(/\.$/, '');
  if (host.length > 253 || !(HOST_NAME.test(host) || IPV6_HOST.test(host))) return null;
  // `www.` and a single label, such as www.example, is the whole name of a site.
  return host.replace(/^www\.(?=.+\.)/, '');
}

/** What stands for referrers beyond the limit. */
export const OTHER = 'other';
export const OTHER_REFERRER = visitValue(kinds.REFERRER, { referrer: OTHER });

function referrerOf(referrer: string): Value | null {
  if (referrer === '') return null;
  const find = () => {
    const host = referrerHost(referrer);
    return { value: host === null ? null : visitValue(kinds.REFERRER, { referrer: host }) };
  };
  return remembering(referrers, referrer, find).value;
}

/** The value for a destination, without the query of the visit. */
export function destinationOf(destination: string): Value {
  return remembering(destinations, destination, () => visitValue(kinds.DESTINATION, { destination }));
}

/** What is known of a visitor without the referrer. */
function profileOf(visitor: Visitor): readonly Value[] {
  const { country, acceptLanguage, platformHint, userAgent } = visitor;
  const key = `${country ?? ''}\n${platformHint ?? ''}\n${acceptLanguage}\n${userAgent}`;
  return remembering(profiles, key, () => [clientOf(visitor), localeOf(visitor)]);
}

/** The values of a visitor that are counted with a click; none if tracking is declined. */
export function factsOf(visitor: Visitor, referrer: string): readonly Value[] {
  if (visitor.optedOut) return [];
  const from = referrerOf(referrer);
  const profile = profileOf(visitor);
  return from === null ? profile : [...profile, from];
}

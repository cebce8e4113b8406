import bowser from 'bowser';
import iso6391 from 'iso-639-1';
import { LRUCache } from 'lru-cache';
import { kinds, type Value, visitValue } from '../db/statistics/value.ts';
import { preferredLanguage, systemOf, type Visitor } from '../domain/visit/visitor.ts';
import { HOST_NAME } from '../engine/rules/url.ts';
import { encodeBidi } from '../engine/tools/bidirectional.ts';
import { MAX_HOST, parseUrl } from '../engine/tools/parse-url.ts';

/** Only these names are used: for an unknown browser, bowser returns a name from the user agent, which clients control. */
const browsers: ReadonlySet<string> = new Set(Object.values(bowser.BROWSER_MAP));
const devices: ReadonlySet<string> = new Set(['desktop', 'mobile', 'tablet']);
const languages: ReadonlySet<string> = new Set(iso6391.getAllCodes());

/** The size of each cache: few user agents, languages and referrers make most visits. */
const max = 2_000;

// The parts of a key are separated by line breaks, which no header contains, so that no visitor can send the key of another.

/** Browser, system and device, from the user agent and the client hint. */
const clients = new LRUCache<string, Value, Visitor>({
  max,
  memoMethod(_key, _stale, { context: visitor }) {
    const { userAgent } = visitor;
    const { browser, platform } = bowser.parse(userAgent || ' ');
    const { name = '' } = browser;
    // bowser knows no device of Chrome OS and the BSDs.
    const type = platform.type ?? (/\bX11;/.test(userAgent) ? 'desktop' : undefined);
    return visitValue(kinds.CLIENT, {
      browser: browsers.has(name) ? name : null,
      os: systemOf(visitor),
      device: type === undefined ? null : devices.has(type) ? type : 'other',
    });
  },
});

const locales = new LRUCache<string, Value, Visitor>({
  max,
  memoMethod: (_key, _stale, { context: { country, acceptLanguage } }) =>
    visitValue(kinds.LOCALE, { country, language: preferredLanguage(acceptLanguage, languages) }),
});

const IPV6_HOST = /^\[[\da-f:.]+\]$/;

/** The app that apps for Android name as referrer, by its package. */
const ANDROID_APP = /^android-app:\/\/([^/?#]+)/i;

/**
 * The host of a Referer header, in lower case, without `www.`, port and path; of an app for Android, its package. Null if it has
 * none.
 */
export function referrerHost(referrer: string): string | null {
  const [, app] = ANDROID_APP.exec(referrer) ?? [];
  if (app !== undefined) return hostNamed(app.toLowerCase());
  const url = referrer === '' ? null : parseUrl(referrer);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  // `www.` and a single label, such as www.example, is the whole name of a site.
  return hostNamed(url.hostname.replace(/\.$/, ''))?.replace(/^www\.(?=.+\.)/, '') ?? null;
}

function hostNamed(name: string): string | null {
  return name.length <= MAX_HOST && (HOST_NAME.test(name) || IPV6_HOST.test(name)) ? name : null;
}

const referrers = new LRUCache<string, readonly Value[]>({
  max,
  memoMethod(header) {
    const referrer = referrerHost(header);
    return referrer === null ? [] : [visitValue(kinds.REFERRER, { referrer })];
  },
});

const destinations = new LRUCache<string, Value>({
  max,
  memoMethod: (destination) => visitValue(kinds.DESTINATION, { destination: encodeBidi(destination) }),
});

/** The value for a destination, without the query of the visit. */
export function describeDestination(destination: string): Value {
  return destinations.memo(destination);
}

/** The values of a visitor that are counted with a click; none if tracking is declined. */
export function describeVisitor(visitor: Visitor, referrer: string): readonly Value[] {
  if (visitor.optedOut) return [];
  const { country, acceptLanguage, platformHint, userAgent } = visitor;
  return [
    clients.memo(platformHint === null ? userAgent : `${platformHint}\n${userAgent}`, { context: visitor }),
    locales.memo(`${country ?? ''}\n${acceptLanguage}`, { context: visitor }),
    ...(referrer === '' ? [] : referrers.memo(referrer)),
  ];
}

import bowser from 'bowser';
import { isbot } from 'isbot';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import type { Platform } from './targeting.ts';

/** What is known of whoever opens a short link; everything as the request said it. */
export interface Visitor {
  /** ISO 3166-1 alpha-2; null where nobody could tell. */
  readonly country: string | null;
  readonly userAgent: string;
  /** The client hint Sec-CH-UA-Platform, unquoted; null where the browser sends none. */
  readonly platformHint: string | null;
  readonly acceptLanguage: string;
  /** Whether tracking is declined, by DNT or Sec-GPC. */
  readonly optedOut: boolean;
  /** Whether the right password came along. */
  readonly passwordGiven: boolean;
  /** The query of the visit, without its question mark. */
  readonly query: string;
}

const hinted = new Map<string, Platform>([
  ['Android', 'ANDROID'],
  ['Chrome OS', 'CHROME_OS'],
  ['Chromium OS', 'CHROME_OS'],
  ['iOS', 'IOS'],
  ['Linux', 'LINUX'],
  ['macOS', 'OS_X'],
  ['Windows', 'WINDOWS'],
]);

/** The operating system; what the hint says comes before what the user agent does. Null where neither says. */
export function platformOf({ userAgent, platformHint }: Visitor): Platform | null {
  const isUbuntu = /\bubuntu\b/i.test(userAgent);
  // bowser names most systems as the hints do.
  const name = userAgent === '' ? '' : (bowser.parse(userAgent).os.name ?? '');
  const platform = hinted.get(platformHint ?? '') ?? hinted.get(name) ?? null;
  return isUbuntu && (platform === 'LINUX' || platform === null) ? 'UBUNTU' : platform;
}

/** Which of the languages the visitor likes best, by the weights of Accept-Language; null where none would do. */
export function languageAmong(
  languages: readonly string[],
  { acceptLanguage }: Pick<Visitor, 'acceptLanguage'>,
): string | null {
  if (acceptLanguage === '') return null;
  const negotiator = new Negotiator({ headers: { 'accept-language': acceptLanguage } });
  return negotiator.languages([...languages])[0] ?? null;
}

/** What was found of the user agents seen last: few of them make most visits, and the pattern is long. */
const bots = new LRUCache<string, boolean>({ max: 1_000 });

/** Whether a program visits: a crawler, a preview of links, a monitor. */
export function isBot({ userAgent }: Visitor): boolean {
  const known = bots.get(userAgent);
  if (known !== undefined) return known;
  const found = isbot(userAgent);
  if (userAgent.length <= 500) bots.set(userAgent, found);
  return found;
}

import bowser from 'bowser';
import { countryCodes, type Platform } from '../link/targeting.ts';

/** A visitor of a short link, as described by the request. */
export interface Visitor {
  /** ISO 3166-1 alpha-2; null if unknown. */
  readonly country: string | null;
  readonly userAgent: string;
  /** The client hint Sec-CH-UA-Platform, unquoted; null if the browser sends none. */
  readonly platformHint: string | null;
  readonly acceptLanguage: string;
  /** Whether tracking is declined, by DNT or Sec-GPC. */
  readonly optedOut: boolean;
  /** Whether the right password was given. */
  readonly passwordGiven: boolean;
  /** Whether the visit counts as a click: not a program, a link preview, a prefetch or a HEAD request. */
  readonly counts: boolean;
  /** The query of the visit, without its question mark. */
  readonly query: string;
}

/**
 * The code of a country, case-insensitive: ISO 3166-1 alpha-2, or null for any other text. Proxies send XX for unknown, and T1
 * for Tor; UK and EU are not codes of that list.
 */
export function countryCode(text: string): string | null {
  const code = text.trim();
  // ASCII only: other letters could become ASCII ones in upper case.
  return /^[a-z]{2}$/i.test(code) && countryCodes.has(code.toUpperCase()) ? code.toUpperCase() : null;
}

const platformsByName = new Map<string, Platform>([
  ['Android', 'ANDROID'],
  ['Chrome OS', 'CHROME_OS'],
  ['Chromium OS', 'CHROME_OS'],
  ['iOS', 'IOS'],
  ['Linux', 'LINUX'],
  ['macOS', 'OS_X'],
  ['Windows', 'WINDOWS'],
]);

/** The operating system of the user agent, by bowser's name, which mostly equals that of the client hint. */
function systemNameOf(userAgent: string): string {
  return userAgent === '' ? '' : (bowser.parse(userAgent).os.name ?? '');
}

/** The operating system; the client hint has precedence over the user agent. Null if neither has it. */
export function platformOf({ userAgent, platformHint }: Visitor): Platform | null {
  const isUbuntu = /\bubuntu\b/i.test(userAgent);
  const platform =
    platformsByName.get(platformHint ?? '') ?? platformsByName.get(systemNameOf(userAgent)) ?? null;
  return isUbuntu && (platform === 'LINUX' || platform === null) ? 'UBUNTU' : platform;
}

/** bowser's names of systems; other names come from the user agent, and are not used. */
const systems: ReadonlySet<string> = new Set(Object.values(bowser.OS_MAP));

/** The name of the operating system, also of those that links cannot target; null if unknown. */
export function systemOf(visitor: Visitor): string | null {
  const platform = platformOf(visitor);
  if (platform === 'UBUNTU') return 'Ubuntu';
  const [name = systemNameOf(visitor.userAgent)] =
    [...platformsByName].find(([, known]) => known === platform && platform !== null) ?? [];
  return platformsByName.has(name) || systems.has(name) ? name : null;
}

/** A language range of Accept-Language with its weight: RFC 9110, 12.5.4. */
const RANGE =
  /^\s*(\*|[a-z]{1,8})(?:-[a-z\d]{1,8})*\s*(?:;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/** How many characters of Accept-Language are read; browsers send less than 200. */
const MAX_ACCEPT_LANGUAGE = 1_000;

interface Preference {
  readonly weight: number;
  /** Its position among the ranges: of two with the same weight, the first counts. */
  readonly position: number;
}

/** The highest weight of each language, including its regions; `*` stands for all others. */
function preferencesOf(acceptLanguage: string): Map<string, Preference> {
  const preferences = new Map<string, Preference>();
  acceptLanguage
    .slice(0, MAX_ACCEPT_LANGUAGE)
    .split(',')
    .forEach((range, position) => {
      const [, language = '', q = '1'] = RANGE.exec(range) ?? [];
      const [key, weight] = [language.toLowerCase(), Number(q)];
      if (key !== '' && weight > (preferences.get(key)?.weight ?? -1))
        preferences.set(key, { weight, position });
    });
  return preferences;
}

/** The language with the highest weight, of several the first; null if none is acceptable. */
function mostPreferred(
  candidates: readonly (readonly [language: string, preference: Preference | undefined])[],
): string | null {
  const acceptable = candidates.flatMap(([language, preference]) =>
    preference?.weight ? { language, ...preference } : [],
  );
  const [best] = acceptable.sort((a, b) => b.weight - a.weight || a.position - b.position);
  return best?.language ?? null;
}

/** The language, among ISO 639-1 codes, that the visitor prefers by Accept-Language; null if none is acceptable. */
export function languageAmong(
  languages: readonly string[],
  { acceptLanguage }: Pick<Visitor, 'acceptLanguage'>,
): string | null {
  if (acceptLanguage === '') return null;
  const preferences = preferencesOf(acceptLanguage);
  const preferenceFor = (language: string) => preferences.get(language) ?? preferences.get('*');
  return mostPreferred(languages.map((language) => [language, preferenceFor(language)]));
}

/** The language, among ISO 639-1 codes, with the highest weight in Accept-Language; null if none is named there. */
export function preferredLanguage(acceptLanguage: string, languages: ReadonlySet<string>): string | null {
  return mostPreferred([...preferencesOf(acceptLanguage)].filter(([language]) => languages.has(language)));
}

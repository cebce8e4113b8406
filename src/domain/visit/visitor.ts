import bowser from 'bowser';
import { LRUCache } from 'lru-cache';
import { trimBlanks } from '../../engine/tools/blanks.ts';
import { keysOf } from '../../engine/tools/keys-of.ts';
import type { Platform } from '../link/platforms.ts';
import { countryCodes } from '../link/targeting.ts';

/** A visitor of a short link, as described by the request. */
export interface Visitor {
  /** One of `countryCodes`; null if unknown. */
  readonly country: string | null;
  readonly userAgent: string;
  /** The client hint Sec-CH-UA-Platform, unquoted; null if the browser sends none. */
  readonly platformHint: string | null;
  readonly acceptLanguage: string;
  /** True if the visitor declines tracking, by DNT or Sec-GPC. */
  readonly optedOut: boolean;
  /** True if the right password was given. */
  readonly passwordGiven: boolean;
  /** True if the visit counts as a click: not a program, a link preview, a prefetch or a HEAD request. */
  readonly counts: boolean;
  /** The query of the visit, without its question mark. */
  readonly query: string;
  /** The host of the referrer, in lower case; null or absent if it is not known. */
  readonly referrerHost?: string | null;
}

/**
 * The code of a country, case-insensitive: one of `countryCodes`, or null for any other text. Proxies send XX for unknown, and
 * T1 for Tor; UK and EU are not codes of that list.
 */
export function countryCode(text: string): string | null {
  const code = trimBlanks(text);
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

/** Few user agents make most visits, and bowser tries many patterns. */
const systemNames = new LRUCache<string, string>({
  max: 2_000,
  memoMethod: (userAgent) => bowser.parse(userAgent).os.name ?? '',
});

/** The operating system of the user agent, by bowser's name, which mostly equals that of the client hint. */
function parseSystemName(userAgent: string): string {
  return userAgent === '' ? '' : systemNames.memo(userAgent);
}

/** The operating system; the client hint has precedence over the user agent. Null if neither has it. */
export function detectPlatform({
  userAgent,
  platformHint,
}: Pick<Visitor, 'userAgent' | 'platformHint'>): Platform | null {
  const isUbuntu = /\bubuntu\b/i.test(userAgent);
  const platform =
    platformsByName.get(platformHint ?? '') ?? platformsByName.get(parseSystemName(userAgent)) ?? null;
  return isUbuntu && (platform === 'LINUX' || platform === null) ? 'UBUNTU' : platform;
}

/** bowser's names of systems; other names come from the user agent, and are not used. */
const systems: ReadonlySet<string> = new Set(Object.values(bowser.OS_MAP));

/** The name of the operating system, also of those that links cannot target; null if unknown. */
export function systemOf(visitor: Visitor): string | null {
  const platform = detectPlatform(visitor);
  if (platform === 'UBUNTU') return 'Ubuntu';
  const [name = parseSystemName(visitor.userAgent)] =
    [...platformsByName].find(([, known]) => known === platform && platform !== null) ?? [];
  return platformsByName.has(name) || systems.has(name) ? name : null;
}

/**
 * A language range of Accept-Language with its weight: RFC 9110, 12.5.4. Besides, it may be the name of a locale, such as
 * `de_DE.UTF-8`, and the weight may lack its zero, have more digits or be quoted.
 */
const RANGE = new RegExp(
  [
    /^[ \t]*(\*|[a-z]{1,8})(?:[-_][a-z\d]{1,8})*(?:[.@][a-z\d-]+)*[ \t]*/,
    /(?:;[ \t]*q[ \t]*=[ \t]*"?(0(?:\.\d*)?|\.\d+|1(?:\.0*)?)"?[ \t]*)?$/,
  ]
    .map(({ source }) => source)
    .join(''),
  'i',
);

/** A weight with a decimal comma, as some systems format numbers; no language begins with a digit. */
const DECIMAL_COMMA = /(q[ \t]*=[ \t]*"?[01]?),(?=\d)/gi;

/** Maximum number of characters read of Accept-Language; browsers send less than 200. */
const MAX_ACCEPT_LANGUAGE = 1_000;

/** The codes under which browsers send languages whose code in ISO 639-1 is another one. */
const renamed: ReadonlyMap<string, string> = new Map([
  ['iw', 'he'],
  ['in', 'id'],
  ['ji', 'yi'],
  ['jw', 'jv'],
  ['mo', 'ro'],
  ['fil', 'tl'],
]);

/** Norwegian and its two written forms: the languages that replace one, the best first. */
const related: ReadonlyMap<string, readonly string[]> = new Map([
  ['nb', ['no']],
  ['nn', ['no']],
  ['no', ['nb', 'nn']],
]);

interface Preference {
  /** The ISO 639-1 code if there is one, else the code as it was sent; `*` stands for all languages that are not listed. */
  readonly language: string;
  /** The code as it was sent, in lower case. */
  readonly sent: string;
  readonly weight: number;
  /** Its position among the ranges: of two with the same weight, the first counts. */
  readonly position: number;
}

/** The highest weight of each language, including its regions. */
function parsePreferences(acceptLanguage: string): Map<string, Preference> {
  const preferences = new Map<string, Preference>();
  acceptLanguage
    .slice(0, MAX_ACCEPT_LANGUAGE)
    .replace(DECIMAL_COMMA, '$1.')
    .split(',')
    .forEach((range, position) => {
      const [, code = '', q = '1'] = RANGE.exec(range) ?? [];
      const [sent, weight] = [code.toLowerCase(), Number(q)];
      const language = renamed.get(sent) ?? sent;
      if (sent !== '' && weight > (preferences.get(language)?.weight ?? -1))
        preferences.set(language, { language, sent, weight, position });
    });
  return preferences;
}

/** The acceptable languages, the most preferred first. */
function inOrder(preferences: ReadonlyMap<string, Preference>): Preference[] {
  const acceptable = [...preferences.values()].filter(({ weight }) => weight > 0);
  return acceptable.sort((a, b) => b.weight - a.weight || a.position - b.position);
}

/** The language, among ISO 639-1 codes, that suits the visitor best, and the code that it matches; null if none does. */
export function matchLanguage(
  languages: readonly string[],
  { acceptLanguage }: Pick<Visitor, 'acceptLanguage'>,
): { readonly language: string; readonly sent: string } | null {
  if (acceptLanguage === '') return null;
  const preferences = parsePreferences(acceptLanguage);
  const isOffered = (one: string) => languages.includes(one) && preferences.get(one)?.weight !== 0;
  for (const { language: wish, sent } of inOrder(preferences)) {
    const language =
      wish === '*'
        ? languages.find((one) => !preferences.has(one))
        : [wish, ...(related.get(wish) ?? [])].find(isOffered);
    if (language !== undefined) return { language, sent };
  }
  return null;
}

/** The language, among ISO 639-1 codes, with the highest weight in Accept-Language; null if none is named there. */
export function preferredLanguage(acceptLanguage: string, languages: ReadonlySet<string>): string | null {
  const wishes = inOrder(parsePreferences(acceptLanguage));
  return wishes.find(({ language }) => languages.has(language))?.language ?? null;
}

/** The language, among those of texts, that suits whoever reads them best; English if none does. */
export function languageOfTexts<Language extends string>(
  texts: Readonly<Record<Language | 'en', unknown>>,
  acceptLanguage: string,
): Language | 'en' {
  const languages = keysOf(texts);
  const preferred = matchLanguage(languages, { acceptLanguage })?.language;
  return languages.find((one) => one === preferred) ?? 'en';
}

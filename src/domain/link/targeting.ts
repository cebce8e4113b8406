import iso6391 from 'iso-639-1';
import { iso31661 } from 'iso-3166/1.js';
import { z } from 'zod';
import { choiceSchema, listSchema, textSchema } from '../../engine/rules/input.ts';
import type { Refusal } from '../../engine/rules/refusal.ts';
import { webAddress } from '../../engine/rules/url.ts';
import { encodeBidi } from '../../engine/tools/bidirectional.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { urlsIn, urlsLedTo } from '../rule/parse.ts';
import type { ParsedRules } from '../rule/parsed.ts';
import { refusal } from '../rules.ts';
import { platforms } from './platforms.ts';

/** Types of targeting: rules by which a link chooses a target. */
export const targetTypes = {
  NONE: 'No targets: every visitor gets the URL of the link.',
  COUNTRY: "By the visitor's country.",
  PLATFORM: "By the visitor's operating system.",
  LANGUAGE: "By the visitor's preferred language.",
  ROTATION: 'Each URL in turn.',
} as const;

export type TargetType = keyof typeof targetTypes;

export const MAX_TARGETS = 250;
/** ISO 3166-1 alpha-2, and XK: ISO has no code for Kosovo, and CLDR and the providers of countries use this one. */
export const countryCodes: ReadonlySet<string> = new Set([...iso31661.map(({ alpha2 }) => alpha2), 'XK']);

const languageCodes: ReadonlySet<string> = new Set(iso6391.getAllCodes());
/** The maximum number of targets in each list. */
export const maxTargets = {
  countries: Math.min(MAX_TARGETS, countryCodes.size),
  platforms: Object.keys(platforms).length,
  languages: Math.min(MAX_TARGETS, languageCodes.size),
  rotation: MAX_TARGETS,
};

const TWO_LETTERS = /^[A-Za-z]{2}$/;

/** A code of two letters, case-insensitive. ASCII is checked first, since other letters could fold into ASCII ones. */
function codeSchema(fold: (code: string) => string, codes: ReadonlySet<string>, wrong: Refusal) {
  return textSchema(1, 255)
    .transform((code) => (TWO_LETTERS.test(code) ? fold(code) : code))
    .refine((code) => code === '' || codes.has(code), wrong)
    .meta({ pattern: TWO_LETTERS.source });
}

export const targetTypeInput = choiceSchema(targetTypes).meta({ title: 'TargetType' });
export const platformInput = choiceSchema(platforms).meta({ title: 'Platform' });
export const countryInput = codeSchema((code) => code.toUpperCase(), countryCodes, refusal('COUNTRY'));
export const languageInput = codeSchema((code) => code.toLowerCase(), languageCodes, refusal('LANGUAGE'));

const DUPLICATE = refusal('DUPLICATE');

/** A list of targets with unique keys. A wrong target is not compared with the others. */
function targetsBy<Key extends string, Target extends z.ZodType<Record<Key, string>>>(
  key: Key,
  target: Target,
) {
  return listSchema(target, MAX_TARGETS).superRefine((targets, context) => {
    const wrong = new Set(context.issues.map(({ path }) => path?.[0]));
    const seen = new Set<string>();
    targets.forEach((one, index) => {
      if (wrong.has(index)) return;
      if (seen.has(one[key])) context.addIssue({ ...DUPLICATE.issue, path: [index, key] });
      seen.add(one[key]);
    });
  });
}

/** Descriptions of the targets' keys. */
export const targetKeys = {
  country: 'The country: an ISO 3166-1 alpha-2 code, such as DE, or XK for Kosovo.',
  platform: 'The operating system.',
  language: 'The language: an ISO 639-1 code, such as de.',
} as const;

const url = webAddress.describe('The destination of these visitors: an absolute http or https URL.');
const ofVisitors = (who: string) => `The destination of visitors ${who}.`;
const countryTarget = z
  .object({ country: countryInput.describe(`${targetKeys.country} Case-insensitive.`), url })
  .meta({ title: 'CountryTarget', description: ofVisitors('from one country') });
const platformTarget = z
  .object({ platform: platformInput.describe(targetKeys.platform), url })
  .meta({ title: 'PlatformTarget', description: ofVisitors('with one operating system') });
const languageTarget = z
  .object({ language: languageInput.describe(`${targetKeys.language} Case-insensitive.`), url })
  .meta({ title: 'LanguageTarget', description: ofVisitors('who prefer one language') });

/** Each list replaces the stored one of its kind; null empties it. */
export const targetLists = {
  countries: targetsBy('country', countryTarget)
    .describe('The targets by country, each country at most once.')
    .nullish(),
  platforms: targetsBy('platform', platformTarget)
    .describe('The targets by operating system, each at most once.')
    .nullish(),
  languages: targetsBy('language', languageTarget)
    .describe('The targets by language, each language at most once.')
    .nullish(),
  rotation: listSchema(webAddress.describe('A destination: an absolute http or https URL.'), MAX_TARGETS)
    .describe('The URLs in rotation.')
    .nullish(),
};

export type TargetLists = {
  [Kind in keyof typeof targetLists]: NonNullable<z.output<(typeof targetLists)[Kind]>>;
};

/** The lists as they are stored; an absent one stays absent. */
export function encodeTargets(lists: { [Kind in keyof TargetLists]?: TargetLists[Kind] | null }) {
  const encode = (list: unknown[] | null | undefined) =>
    list === undefined ? undefined : JSON.stringify(list ?? []);
  return {
    countries: encode(lists.countries),
    platforms: encode(lists.platforms),
    languages: encode(lists.languages),
    rotation: encode(lists.rotation),
  };
}

/** One list of a stored link, decoded from the JSON of `encodeTargets`. */
export function parseTargets<Kind extends keyof TargetLists>(
  link: Readonly<Record<Kind, string>>,
  kind: Kind,
): TargetLists[Kind] {
  return link[kind] === '[]' ? [] : JSON.parse(link[kind]);
}

/** Returns a stored link's type of targeting. */
export function parseTargetType({ targetType }: { readonly targetType: string }): TargetType {
  return targetTypeInput.parse(targetType);
}

/** All lists of a stored link. */
export function parseTargetLists(link: Readonly<Record<keyof TargetLists, string>>): TargetLists {
  return {
    countries: parseTargets(link, 'countries'),
    platforms: parseTargets(link, 'platforms'),
    languages: parseTargets(link, 'languages'),
    rotation: parseTargets(link, 'rotation'),
  };
}

/** Every address to which an active link leads some visitors now, as it is sent and counted. */
export function listDestinations(
  link: Omit<Addresses, 'expirationUrl'> & Pick<Link, 'targetType'>,
  now: Date,
): string[] {
  const type = parseTargetType(link);
  const rotation = type === 'ROTATION' ? parseTargets(link, 'rotation') : [];
  const targets = {
    NONE: () => [],
    COUNTRY: () => parseTargets(link, 'countries'),
    PLATFORM: () => parseTargets(link, 'platforms'),
    LANGUAGE: () => parseTargets(link, 'languages'),
    ROTATION: () => [],
  }[type]();
  // A rotation alone leaves nobody for the link's own URL.
  const addresses = rotation.length > 0 ? rotation : [link.url, ...targets.map(({ url }) => url)];
  return [...new Set([...addresses, ...urlsLedTo(link.rules, now.getTime())].map(encodeBidi))];
}

/** The columns of a link that contain addresses. */
export type Addresses = Pick<
  Link,
  'url' | 'expirationUrl' | 'countries' | 'platforms' | 'languages' | 'rotation'
> & {
  /** As they are stored, or as visits read them. */
  readonly rules: string | ParsedRules;
};

/** Every address of a link, including lists that its target type does not use. */
export function listAddresses(link: Addresses): Set<string> {
  const { countries, platforms, languages, rotation } = parseTargetLists(link);
  const targets = [...countries, ...platforms, ...languages].map(({ url }) => url);
  const atTheEnd = link.expirationUrl === null ? [] : [link.expirationUrl];
  return new Set([link.url, ...atTheEnd, ...targets, ...rotation, ...urlsIn(link.rules)]);
}

import { z } from 'zod';
import type { Platform } from '../link/platforms.ts';
import { rulesInput } from '../rule/input.ts';
import { MAX_CONDITION_VALUES, MAX_RULES } from '../rule/limits.ts';
import type { StoredCondition } from '../rule/stored.ts';
import type { Note } from './report.ts';
import { shown } from './values.ts';

// Rules of other services as rules of ours. A rule that ours cannot be like is left out and reported: it must not lead more
// visitors than it did.

/** A rule as the input of a link has it. */
export interface RuleOfOther {
  readonly name?: string;
  readonly when: readonly StoredCondition[];
  readonly to: readonly { readonly url: unknown; readonly weight?: number }[];
}

/** Platforms that other services call desktop. */
export const DESKTOPS: readonly Platform[] = ['WINDOWS', 'OS_X', 'LINUX', 'UBUNTU', 'CHROME_OS'];

const devices: Readonly<Record<string, readonly Platform[]>> = {
  android: ['ANDROID'],
  ios: ['IOS'],
  mobile: ['IOS', 'ANDROID'],
  windows: ['WINDOWS'],
  macos: ['OS_X'],
  linux: ['LINUX', 'UBUNTU'],
  chromeos: ['CHROME_OS'],
  desktop: DESKTOPS,
};

const browsers: Readonly<Record<string, string>> = {
  chrome: 'Chrome',
  firefox: 'Firefox',
  edge: 'Microsoft Edge',
  safari: 'Safari',
  opera: 'Opera',
  android_browser: 'Android Browser',
};

const shlinkCondition = z.object({
  type: z.string(),
  matchKey: z.string().nullish(),
  matchValue: z.string().nullish(),
});
type ShlinkCondition = z.output<typeof shlinkCondition>;
const shlinkRule = z.object({
  longUrl: z.string(),
  priority: z.number().default(0),
  conditions: z.array(shlinkCondition),
});

/** Returns a condition of Shlink as one of ours; null if none of ours matches the same visitors or fewer. */
function convertCondition({ type, matchKey, matchValue }: ShlinkCondition): StoredCondition | null {
  const value = matchValue ?? '';
  // Some versions have the name of a parameter without a value in the place of the value.
  const name = matchKey ?? value;
  if (type === 'query-param' && matchKey) return { query: { name: matchKey, in: [value] } };
  if (type === 'any-value-query-param') return { query: { name, exists: true } };
  if (type === 'valueless-query-param') return { query: { name, in: [''] } };
  if (type === 'language' && !/[-_]/.test(value)) return { language: { in: [value] } };
  if (type === 'geolocation-country-code') return { country: { in: [value] } };
  if (type === 'before-date') return { time: { until: value } };
  if (type === 'after-date') return { time: { from: value } };
  const [platforms, browser] = [devices[value], browsers[value]];
  if (type === 'device' && platforms) return { platform: { in: platforms } };
  if (type === 'browser' && browser) return { browser: { in: [browser] } };
  return null;
}

/** Returns a rule of Shlink as one of ours, or why it cannot be one. */
function convertRule({ longUrl, conditions }: z.output<typeof shlinkRule>): RuleOfOther | string {
  if (conditions.length === 0) return 'Shlink leads nobody by a rule without conditions';
  const when: StoredCondition[] = [];
  for (const condition of conditions) {
    const converted = convertCondition(condition);
    if (converted === null) {
      const { type, matchValue } = condition;
      return `there is no condition like ${shown(type)}${matchValue ? ` with ${shown(matchValue)}` : ''} here`;
    }
    when.push(converted);
  }
  return { when, to: [{ url: longUrl }] };
}

/** Returns why a rule is refused; null if it is not. */
function whyRefused(rule: RuleOfOther): string | null {
  const [issue] = rulesInput.safeParse([rule]).error?.issues ?? [];
  return issue === undefined ? null : `${issue.path.slice(1).join('.')} ${issue.message}`;
}

/** Leaves out rules that are refused, and those that are too many, with a note on each. */
export function keepRules(
  rules: readonly { readonly name: string; readonly rule: RuleOfOther | string }[],
  field: string,
  notes: Note[],
): RuleOfOther[] {
  const kept: RuleOfOther[] = [];
  for (const { name, rule } of rules) {
    const refused = typeof rule === 'string' ? rule : whyRefused(rule);
    const why = refused ?? (kept.length < MAX_RULES ? null : `a link has at most ${MAX_RULES} rules`);
    if (why !== null) notes.push({ field, message: `is imported without the rule ${name}: ${why}` });
    else if (typeof rule !== 'string') kept.push(rule);
  }
  return kept;
}

/** Returns the redirect rules of Shlink's API as rules of ours, those with the lowest priority first. */
export function rulesOfShlink(given: readonly unknown[], notes: Note[]): RuleOfOther[] {
  const read = given.map((one, index) => ({ place: index + 1, ...shlinkRule.safeParse(one) }));
  const ordered = read.toSorted((one, other) => (one.data?.priority ?? 0) - (other.data?.priority ?? 0));
  return keepRules(
    ordered.map(({ place, data }) => ({
      name: String(place),
      rule: data ? convertRule(data) : 'it is not as the API of Shlink gives it',
    })),
    'other_rules',
    notes,
  );
}

/** Rules and targets of Dub. */
export interface RulesOfDub {
  readonly ios_url?: string | undefined;
  readonly android_url?: string | undefined;
  readonly desktop_url?: string | undefined;
  readonly country_urls?: readonly { readonly country: string }[] | undefined;
  readonly test_variants?: readonly unknown[] | undefined;
  readonly test_ends_at?: Date | undefined;
}

/** The smallest number of variants of a test of Dub that it runs. */
const MIN_VARIANTS = 2;
const variant = z.object({ url: z.string(), percentage: z.number().positive() });

/** Returns why a test of Dub is not imported; null if it runs. */
function whyNoTest(
  { test_variants: given = [], test_ends_at: endsAt }: RulesOfDub,
  now: Date,
): string | null {
  if (given.length < MIN_VARIANTS) return 'it has a single variant';
  if (endsAt === undefined) return 'it has no end, and Dub does not run it';
  return endsAt <= now ? 'it is over' : null;
}

/** Returns the test of Dub as a rule that splits the visitors without a target of their own, until the test ends. */
function splitOf({ test_variants: given = [], ...values }: RulesOfDub): RuleOfOther | string {
  const variants = z.array(variant).safeParse(given).data;
  if (variants === undefined) return 'it is not as the API of Dub gives it';
  const countries = values.country_urls?.map(({ country }) => country) ?? [];
  const chunks = Math.ceil(countries.length / MAX_CONDITION_VALUES);
  const scale = variants.every(({ percentage }) => Number.isInteger(percentage)) ? 1 : 10;
  return {
    name: 'Test',
    when: [
      { time: { until: values.test_ends_at?.toISOString() ?? '' } },
      ...Array.from({ length: chunks }, (_, chunk) => ({
        country: { notIn: countries.slice(chunk * MAX_CONDITION_VALUES, (chunk + 1) * MAX_CONDITION_VALUES) },
      })),
    ],
    to: variants.map(({ url, percentage }) => ({ url, weight: Math.round(scale * percentage) })),
  };
}

/**
 * Returns rules for what a link's targeting cannot do alone: targets by platform before those by country, which stay its
 * targeting, and a test of those who have neither. Null if the targeting is sufficient.
 */
export function rulesOfDub(values: RulesOfDub, now: Date, notes: Note[]): RuleOfOther[] | null {
  const { country_urls: countries = [], test_variants: variants } = values;
  const why = variants && whyNoTest(values, now);
  if (why) notes.push({ field: 'test_variants', message: `is not imported: ${why}` });
  const hasTest = variants !== undefined && !why;
  if (!hasTest && countries.length === 0) return null;
  const byPlatform = ([field, name, platforms]: readonly [
    'ios_url' | 'android_url' | 'desktop_url',
    string,
    readonly Platform[],
  ]): RuleOfOther[] => {
    const url = values[field];
    const rule = { name, when: [{ platform: { in: platforms } }], to: [{ url }] };
    return url === undefined ? [] : keepRules([{ name, rule }], field, notes);
  };
  return [
    ...byPlatform(['ios_url', 'iOS', ['IOS']]),
    ...byPlatform(['android_url', 'Android', ['ANDROID']]),
    ...byPlatform(['desktop_url', 'Desktop', DESKTOPS]),
    ...(hasTest ? keepRules([{ name: 'Test', rule: splitOf(values) }], 'test_variants', notes) : []),
  ];
}

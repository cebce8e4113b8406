import { readFileSync } from 'node:fs';
import type { LinkInput } from '../../../domain/link/fields.ts';
import { builtFile } from '../../../engine/tools/own-files.ts';

/** The days of most visits: working days, free days, or the whole week. */
type Week = 'work' | 'leisure' | 'all';

/** The source of visits; mail and paper have mostly no referrer. */
type Source = 'mail' | 'social' | 'search' | 'press' | 'paper' | 'site';

type MoreInput = Partial<
  Pick<LinkInput, 'privacy' | 'privacyPassword' | 'disabled' | 'targeting' | 'password'>
>;

/** Relative frequencies by name. */
type Weights = Readonly<Record<string, number>>;

/**
 * A link of the company, created `age` days before the end, and the pattern of its visits: how many on an average day, how much the
 * season matters (from 0 to 1: bicycles sell in spring and summer), and after how many days those of a campaign, which comes again
 * each year, have halved.
 */
type Row = readonly [
  ...[space: string | null, alias: string, title: string, path: string, age: number, daily: number],
  ...[week: Week, source: Source, season?: number, halfLife?: number],
];

interface Company {
  /** Their colours are 1 to 6. */
  readonly spaces: readonly string[];
  readonly links: readonly Row[];
  /** Monthly newsletters, whose links most people open within days. */
  readonly newsletters: readonly (readonly [alias: string, title: string, age: number, daily: number])[];
  /** The aliases of their links. Their colours are 1 to 6, too. */
  readonly tags: Readonly<Record<string, readonly string[]>>;
  /** More properties of some links, by alias. */
  readonly more: Readonly<Record<string, MoreInput>>;
  readonly userAgents: Readonly<Record<'phone' | 'desk' | 'program', Weights>>;
  /** The share of people on the move. */
  readonly phones: Readonly<Record<Source, number>>;
  /** An empty country is unknown. Its languages are those that visitors prefer. */
  readonly countries: Readonly<Record<string, { readonly weight: number; readonly languages: Weights }>>;
  /** An empty referrer is none. */
  readonly referrers: Readonly<Record<Source, Weights>>;
  /** The weights of the hours (UTC), from midnight. */
  readonly hours: Readonly<Record<Week, readonly number[]>>;
  /** The weights of the days of the week, from Sunday; 1 is average. */
  readonly weekdays: Readonly<Record<Week, readonly number[]>>;
}

/** A small bicycle company and its visitors. */
export const company: Company = JSON.parse(readFileSync(builtFile('app/cli/demo/company.json'), 'utf8'));

const newsletters = company.newsletters.map(([alias, title, age, daily]): Row => {
  return ['Newsletter', alias, title, `/news/${alias}`, age, daily, 'all', 'mail', 0, 2.2];
});

export const demoLinks = [...company.links, ...newsletters].map(
  ([space, alias, title, path, age, daily, week, source, season, halfLife]) => {
    const more: MoreInput | undefined = company.more[alias];
    return { space, alias, title, path, age, daily, week, source, season, halfLife, more };
  },
);

export type DemoLink = (typeof demoLinks)[number];

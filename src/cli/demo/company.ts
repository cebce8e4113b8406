import type { LinkInput } from '../../domain/link/input.ts';

/** When people visit: at work, in their free time, or the whole week. */
export type Week = 'work' | 'leisure' | 'all';

/** The source of visits; mail and paper have mostly no referrer. */
export type Source = 'mail' | 'social' | 'search' | 'press' | 'paper' | 'site';

type MoreInput = Partial<
  Pick<LinkInput, 'privacy' | 'privacyPassword' | 'disabled' | 'targeting' | 'password'>
>;

/** A link of the company, and the pattern of its visits. */
export interface DemoLink {
  readonly space: string | null;
  readonly alias: string;
  readonly title: string;
  readonly path: string;
  /** How many days before the end of the year it was created. */
  readonly age: number;
  readonly daily: number;
  readonly week: Week;
  readonly source: Source;
  /** The influence of the season, from 0 to 1: bicycles sell in spring and summer. */
  readonly season?: number | undefined;
  /** For a campaign: after how many days the visits have halved. */
  readonly halfLife?: number | undefined;
  readonly more?: MoreInput | undefined;
}

export const SITE = 'https://lindenhof.example';

const WEBSITE = 'Website';
const NEWSLETTER = 'Newsletter';
const SOCIAL = 'Social media';
const PRINT = 'Print and shops';
const SUPPORT = 'Support';
const JOBS = 'Jobs';

/** The spaces of a small bicycle company; their colours are 1 to 6. */
export const demoSpaces: readonly string[] = [WEBSITE, NEWSLETTER, SOCIAL, PRINT, SUPPORT, JOBS];

type Row = readonly [
  ...[space: string | null, alias: string, title: string, path: string, age: number, daily: number],
  ...[week: Week, source: Source, season?: number, halfLife?: number],
];

/** Permanent links, and then campaigns with a few weeks of visits each. */
const table: readonly Row[] = [
  [WEBSITE, 'shop', 'Shop', '/shop', 364, 95, 'leisure', 'search', 0.6],
  [WEBSITE, 'configurator', 'Build your bicycle', '/configurator', 364, 62, 'leisure', 'site', 0.7],
  [WEBSITE, 'test-ride', 'Book a test ride', '/test-ride', 330, 28, 'leisure', 'site', 0.9],
  [WEBSITE, 'leasing', 'Company leasing', '/leasing', 290, 19, 'work', 'search', 0.2],
  [SOCIAL, 'ig', 'Link in the profile', '/hello', 364, 58, 'leisure', 'social', 0.4],
  [SOCIAL, 'video', 'How we weld a frame', '/films/welding', 240, 34, 'leisure', 'social', 0, 70],
  [PRINT, 'catalogue', 'Catalogue', '/catalogue.pdf', 364, 31, 'all', 'paper', 0.5],
  [PRINT, 'poster', 'Posters at the stations', '/city', 205, 46, 'work', 'paper', 0, 35],
  [PRINT, 'dealers', 'Find a dealer', '/dealers', 364, 24, 'leisure', 'search', 0.5],
  [SUPPORT, 'manuals', 'Manuals', '/support/manuals', 364, 37, 'all', 'site', 0.3],
  [SUPPORT, 'app', 'The app', '/app', 300, 41, 'all', 'site', 0.5],
  [SUPPORT, 'warranty', 'Warranty', '/support/warranty', 364, 9, 'work', 'site'],
  [JOBS, 'jobs', 'Open positions', '/jobs', 364, 22, 'work', 'search'],
  [JOBS, 'apprentices', 'Apprenticeships', '/jobs/apprentices', 250, 11, 'work', 'paper', 0.3],
  [null, 'press', 'Press kit', '/press', 364, 5, 'work', 'press'],
  [null, 'board', 'Figures for the board', '/internal/figures', 180, 2, 'work', 'mail'],
  [PRINT, 'fair', 'Bicycle fair in spring', '/fair', 225, 90, 'leisure', 'press', 0, 5],
  [SOCIAL, 'raffle', 'Win a city bicycle', '/raffle', 160, 210, 'leisure', 'social', 0, 4],
  [SOCIAL, 'award', 'The design award', '/award', 95, 130, 'leisure', 'press', 0, 6],
  [SOCIAL, 'repair-cafe', 'Repair café', '/repair-cafe', 60, 40, 'leisure', 'social', 0, 12],
  [SOCIAL, 'advent', 'Advent calendar', '/advent', 6, 150, 'leisure', 'social', 0, 9],
];

/** More properties of some links, by alias. */
const details: Readonly<Record<string, MoreInput>> = {
  shop: {
    targeting: {
      type: 'LANGUAGE',
      languages: [
        { language: 'de', url: `${SITE}/de/shop` },
        { language: 'fr', url: `${SITE}/fr/boutique` },
        { language: 'it', url: `${SITE}/it/negozio` },
      ],
    },
  },
  app: {
    targeting: {
      type: 'PLATFORM',
      platforms: [
        { platform: 'IOS', url: 'https://apps.example/ios/lindenhof' },
        { platform: 'ANDROID', url: 'https://apps.example/android/lindenhof' },
      ],
    },
  },
  leasing: { privacy: 'PASSWORD', privacyPassword: 'demo' },
  press: { password: 'demo' },
  board: { privacy: 'PRIVATE' },
  raffle: { disabled: true },
};

const letters: readonly [alias: string, title: string, age: number][] = [
  ['winter-lights', 'Lights for the winter', 350],
  ['new-year', 'Plans for the new year', 318],
  ['service-weeks', 'Service weeks', 290],
  ['spring-models', 'The models of this spring', 260],
  ['first-tours', 'First tours', 232],
  ['gravel', 'The new gravel bicycle', 201],
  ['summer-bags', 'Bags for the summer', 171],
  ['holiday-routes', 'Routes for the holidays', 140],
  ['late-summer-sale', 'Late summer sale', 110],
  ['commuters', 'For commuters', 79],
  ['autumn-check', 'Autumn check', 48],
  ['black-week', 'Black week', 9],
];

/** Monthly newsletters, whose links most people open within days. */
const newsletters = letters.map(([alias, title, age]): Row => {
  const daily = alias === 'black-week' || alias === 'late-summer-sale' ? 520 : 260;
  return [NEWSLETTER, alias, title, `/news/${alias}`, age, daily, 'all', 'mail', 0, 2.2];
});

export const demoLinks = [...table, ...newsletters].map(
  ([space, alias, title, path, age, daily, week, source, season, halfLife]): DemoLink => {
    return { space, alias, title, path, age, daily, week, source, season, halfLife, more: details[alias] };
  },
);

import type { LinkInput } from '../../domain/link/input.ts';

/** When people visit: at work, in their free time, or the whole week. */
export type Week = 'work' | 'leisure' | 'all';

/** The source of visits; mail and paper have mostly no referrer. */
export type Source = 'mail' | 'social' | 'search' | 'press' | 'paper' | 'site';

/** A link of the company, and the pattern of its visits. */
export interface DemoLink {
  readonly space: string | null;
  readonly alias: string;
  readonly title: string;
  readonly path: string;
  /** How many days before the end of the year it was created. */
  readonly age: number;
  /** Clicks on an average day. */
  readonly daily: number;
  readonly week: Week;
  readonly source: Source;
  /** For a campaign: after how many days the visits have halved. */
  readonly halfLife?: number;
  /** The influence of the season, from 0 to 1: bicycles sell in spring and summer. */
  readonly season?: number;
  readonly more?: Partial<
    Pick<LinkInput, 'privacy' | 'privacyPassword' | 'disabled' | 'targeting' | 'password'>
  >;
}

export const SITE = 'https://lindenhof.example';

/** The spaces of a small bicycle company, with their colours. */
export const demoSpaces: readonly (readonly [name: string, color: number])[] = [
  ['Website', 1],
  ['Newsletter', 2],
  ['Social media', 3],
  ['Print and shops', 4],
  ['Support', 5],
  ['Jobs', 6],
];

const targets = (entries: readonly [string, string][]) =>
  entries.map(([language, path]) => ({ language, url: SITE + path }));

const lasting: readonly DemoLink[] = [
  {
    space: 'Website',
    alias: 'shop',
    title: 'Shop',
    path: '/shop',
    age: 364,
    daily: 95,
    week: 'leisure',
    source: 'search',
    season: 0.6,
    more: {
      targeting: {
        type: 'LANGUAGE',
        languages: targets([
          ['de', '/de/shop'],
          ['fr', '/fr/boutique'],
          ['it', '/it/negozio'],
        ]),
      },
    },
  },
  {
    space: 'Website',
    alias: 'configurator',
    title: 'Build your bicycle',
    path: '/configurator',
    age: 364,
    daily: 62,
    week: 'leisure',
    source: 'site',
    season: 0.7,
  },
  {
    space: 'Website',
    alias: 'test-ride',
    title: 'Book a test ride',
    path: '/test-ride',
    age: 330,
    daily: 28,
    week: 'leisure',
    source: 'site',
    season: 0.9,
  },
  {
    space: 'Website',
    alias: 'leasing',
    title: 'Company leasing',
    path: '/leasing',
    age: 290,
    daily: 19,
    week: 'work',
    source: 'search',
    season: 0.2,
    more: { privacy: 'PASSWORD', privacyPassword: 'demo' },
  },
  {
    space: 'Social media',
    alias: 'ig',
    title: 'Link in the profile',
    path: '/hello',
    age: 364,
    daily: 58,
    week: 'leisure',
    source: 'social',
    season: 0.4,
  },
  {
    space: 'Social media',
    alias: 'video',
    title: 'How we weld a frame',
    path: '/films/welding',
    age: 240,
    daily: 34,
    week: 'leisure',
    source: 'social',
    halfLife: 70,
  },
  {
    space: 'Print and shops',
    alias: 'catalogue',
    title: 'Catalogue',
    path: '/catalogue.pdf',
    age: 364,
    daily: 31,
    week: 'all',
    source: 'paper',
    season: 0.5,
  },
  {
    space: 'Print and shops',
    alias: 'poster',
    title: 'Posters at the stations',
    path: '/city',
    age: 205,
    daily: 46,
    week: 'work',
    source: 'paper',
    halfLife: 35,
  },
  {
    space: 'Print and shops',
    alias: 'dealers',
    title: 'Find a dealer',
    path: '/dealers',
    age: 364,
    daily: 24,
    week: 'leisure',
    source: 'search',
    season: 0.5,
  },
  {
    space: 'Support',
    alias: 'manuals',
    title: 'Manuals',
    path: '/support/manuals',
    age: 364,
    daily: 37,
    week: 'all',
    source: 'site',
    season: 0.3,
  },
  {
    space: 'Support',
    alias: 'app',
    title: 'The app',
    path: '/app',
    age: 300,
    daily: 41,
    week: 'all',
    source: 'site',
    season: 0.5,
    more: {
      targeting: {
        type: 'PLATFORM',
        platforms: [
          { platform: 'IOS', url: 'https://apps.example/ios/lindenhof' },
          { platform: 'ANDROID', url: 'https://apps.example/android/lindenhof' },
        ],
      },
    },
  },
  {
    space: 'Support',
    alias: 'warranty',
    title: 'Warranty',
    path: '/support/warranty',
    age: 364,
    daily: 9,
    week: 'work',
    source: 'site',
  },
  {
    space: 'Jobs',
    alias: 'jobs',
    title: 'Open positions',
    path: '/jobs',
    age: 364,
    daily: 22,
    week: 'work',
    source: 'search',
  },
  {
    space: 'Jobs',
    alias: 'apprentices',
    title: 'Apprenticeships',
    path: '/jobs/apprentices',
    age: 250,
    daily: 11,
    week: 'work',
    source: 'paper',
    season: 0.3,
  },
  {
    space: null,
    alias: 'press',
    title: 'Press kit',
    path: '/press',
    age: 364,
    daily: 5,
    week: 'work',
    source: 'press',
    more: { password: 'demo' },
  },
  {
    space: null,
    alias: 'board',
    title: 'Figures for the board',
    path: '/internal/figures',
    age: 180,
    daily: 2,
    week: 'work',
    source: 'mail',
    more: { privacy: 'PRIVATE' },
  },
];

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
const newsletters = letters.map<DemoLink>(([alias, title, age]) => ({
  space: 'Newsletter',
  alias,
  title,
  path: `/news/${alias}`,
  age,
  daily: alias === 'black-week' || alias === 'late-summer-sale' ? 520 : 260,
  week: 'all',
  source: 'mail',
  halfLife: 2.2,
}));

type Event = readonly [
  alias: string,
  title: string,
  space: string,
  age: number,
  daily: number,
  halfLife: number,
  source: Source,
];

const events: readonly Event[] = [
  ['fair', 'Bicycle fair in spring', 'Print and shops', 225, 90, 5, 'press'],
  ['raffle', 'Win a city bicycle', 'Social media', 160, 210, 4, 'social'],
  ['award', 'The design award', 'Social media', 95, 130, 6, 'press'],
  ['repair-cafe', 'Repair café', 'Social media', 60, 40, 12, 'social'],
  ['advent', 'Advent calendar', 'Social media', 6, 150, 9, 'social'],
];

/** Posts and fairs, with a few weeks of visits each. */
const campaigns = events.map<DemoLink>(([alias, title, space, age, daily, halfLife, source]) => ({
  alias,
  title,
  space,
  path: `/${alias}`,
  age,
  daily,
  halfLife,
  week: 'leisure',
  source,
  ...(alias === 'raffle' && { more: { disabled: true } }),
}));

export const demoLinks: readonly DemoLink[] = [...lasting, ...newsletters, ...campaigns];

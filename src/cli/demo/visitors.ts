import type { Visitor } from '../../domain/visit/visitor.ts';
import type { DemoLink, Source, Week } from './company.ts';
import { pick, type Random, seededRandom } from './random.ts';

type Weights = Readonly<Record<string, number>>;

const phone = 'Linux; Android 15; K';
const chromium = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0';
const apple = (system: string, version: string) =>
  `Mozilla/5.0 (${system}) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${version}`;

const onTheMove: Weights = {
  [`${apple('iPhone; CPU iPhone OS 18_7 like Mac OS X', '26.0')} Mobile/15E148 Safari/604.1`]: 37,
  [`Mozilla/5.0 (${phone}) ${chromium} Mobile Safari/537.36`]: 38,
  [`Mozilla/5.0 (${phone}) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`]: 9,
  'Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0': 5,
  [`${apple('iPad; CPU OS 18_7 like Mac OS X', '26.0')} Mobile/15E148 Safari/604.1`]: 5,
};
const atADesk: Weights = {
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chromium} Safari/537.36`]: 38,
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chromium} Safari/537.36 Edg/143.0.0.0`]: 18,
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0': 14,
  [`${apple('Macintosh; Intel Mac OS X 10_15_7', '26.0')} Safari/605.1.15`]: 13,
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chromium} Safari/537.36`]: 9,
  'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0': 4,
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chromium} Safari/537.36 OPR/125.0.0.0`]: 3,
};
const programs: Weights = {
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)': 5,
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)': 3,
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)': 4,
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)': 2,
};

/** The weights of countries, with those of their visitors' preferred languages; an empty country is unknown. */
const countries: Readonly<Record<string, readonly [weight: number, languages: Weights]>> = {
  DE: [560, { 'de-DE,de;q=0.9,en;q=0.5': 90, 'en-GB,en;q=0.9': 6, 'tr-TR,tr;q=0.9,de;q=0.5': 4 }],
  AT: [130, { 'de-AT,de;q=0.9': 92, 'en-US,en;q=0.9': 8 }],
  CH: [115, { 'de-CH,de;q=0.9': 66, 'fr-CH,fr;q=0.9': 24, 'it-CH,it;q=0.9': 10 }],
  FR: [48, { 'fr-FR,fr;q=0.9': 95, 'en-US,en;q=0.9': 5 }],
  NL: [44, { 'nl-NL,nl;q=0.9,en;q=0.7': 88, 'en-US,en;q=0.9': 12 }],
  IT: [30, { 'it-IT,it;q=0.9': 90, 'de-DE,de;q=0.9': 10 }],
  US: [25, { 'en-US,en;q=0.9': 93, 'es-US,es;q=0.9': 7 }],
  GB: [18, { 'en-GB,en;q=0.9': 100 }],
  DK: [12, { 'da-DK,da;q=0.9': 100 }],
  PL: [9, { 'pl-PL,pl;q=0.9': 100 }],
  ES: [8, { 'es-ES,es;q=0.9': 100 }],
  CZ: [5, { 'cs-CZ,cs;q=0.9': 100 }],
  JP: [2, { 'ja-JP,ja;q=0.9': 100 }],
  '': [10, { 'de-DE,de;q=0.9': 100 }],
};

const countryWeights = Object.fromEntries(
  Object.entries(countries).map(([country, [weight]]) => [country, weight]),
);

/** The weights of referrers by source; an empty one is none. */
const referrers: Readonly<Record<Source, Weights>> = {
  mail: {
    '': 78,
    'https://mail.example/': 12,
    'https://webmail.example/': 6,
    'https://lindenhof.example/news': 4,
  },
  social: {
    'https://l.instagram.com/': 46,
    'https://www.facebook.com/': 14,
    'https://www.youtube.com/': 13,
    '': 22,
    'https://www.reddit.com/': 5,
  },
  search: {
    'https://www.google.com/': 44,
    '': 28,
    'https://lindenhof.example/': 14,
    'https://www.bing.com/': 7,
    'https://duckduckgo.com/': 5,
    'https://www.ecosia.org/': 2,
  },
  press: {
    '': 35,
    'https://velo-magazine.example/tests': 28,
    'https://citynews.example/': 20,
    'https://news.google.com/': 12,
    'https://www.linkedin.com/': 5,
  },
  paper: { '': 97, 'https://www.google.com/': 3 },
  site: { 'https://lindenhof.example/': 68, '': 24, 'https://www.google.com/': 8 },
};
const onTheMoveBy = { mail: 0.55, social: 0.85, search: 0.6, press: 0.55, paper: 0.96, site: 0.5 };

/** The weights of the hours (UTC), from midnight. */
const hours: Readonly<Record<Week, readonly number[]>> = {
  work: [1, 1, 1, 1, 2, 6, 14, 20, 22, 22, 20, 17, 18, 19, 19, 17, 13, 10, 8, 7, 6, 4, 3, 2],
  leisure: [3, 2, 1, 1, 2, 4, 8, 10, 11, 12, 13, 14, 13, 12, 12, 13, 15, 18, 22, 24, 22, 16, 10, 6],
  all: [2, 1, 1, 1, 2, 6, 12, 15, 16, 15, 14, 14, 14, 13, 13, 14, 15, 16, 17, 17, 15, 11, 7, 4],
};

/** The weights of the days of the week, from Sunday; 1 is average. */
export const weekdays: Readonly<Record<Week, readonly number[]>> = {
  work: [0.3, 1.2, 1.3, 1.3, 1.25, 1.05, 0.35],
  leisure: [1.35, 0.9, 0.85, 0.85, 0.9, 0.95, 1.25],
  all: [0.95, 1.05, 1.05, 1.05, 1.05, 0.95, 0.9],
};

export interface DemoVisit {
  readonly hour: number;
  readonly visitor: Visitor;
  readonly address: string;
  readonly referrer: string;
}

/** A visit by one of some people. A person's number determines all of its properties, so people can visit again. */
export function demoVisit(
  { source, week }: Pick<DemoLink, 'source' | 'week'>,
  people: { readonly first: number; readonly count: number },
  random: Random,
): DemoVisit {
  const hour = Number(pick(Object.fromEntries(hours[week].entries()), random));
  const isProgram = random() < 0.07;
  const person = people.first + Math.floor(random() * people.count);
  const address = `10.${(person >> 16) % 256}.${(person >> 8) % 256}.${person % 256}`;
  const own = seededRandom(person);
  const country = pick(countryWeights, own);
  const devices = own() < onTheMoveBy[source] ? onTheMove : atADesk;
  const userAgent = pick(devices, own);
  const visitor: Visitor = {
    country: country === '' ? null : country,
    userAgent: isProgram ? pick(programs, random) : userAgent,
    platformHint: null,
    acceptLanguage: pick(countries[country]?.[1] ?? {}, own),
    optedOut: own() < 0.03,
    passwordGiven: true,
    counts: !isProgram,
    query: '',
  };
  return { hour, visitor, address, referrer: pick(referrers[source], random) };
}

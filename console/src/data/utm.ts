/** The parameters of campaigns, as addresses and templates have them. */
export const utmNames = ['source', 'medium', 'campaign', 'term', 'content'] as const;
export type UtmName = (typeof utmNames)[number];
/** The decoded value of each parameter; empty if there is none. */
export type Utm = Readonly<Record<UtmName, string>>;

export const noUtm: Utm = { source: '', medium: '', campaign: '', term: '', content: '' };

export const makeUtm = (of: (name: UtmName) => string): Utm => ({
  source: of('source'),
  medium: of('medium'),
  campaign: of('campaign'),
  term: of('term'),
  content: of('content'),
});

function splitUrl(url: string) {
  const [, page = '', query = '', fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(url) ?? [];
  return { page, pairs: query === '' ? [] : query.split('&'), fragment };
}

/** The decoded name and value. A question mark at its start is part of the name. */
const decoded = (pair: string): readonly [name: string, value: string] =>
  [...new URLSearchParams(`&${pair}`)][0] ?? ['', ''];

/** The parameters of an address. */
export function utmIn(url: string): Utm {
  const pairs = splitUrl(url).pairs.map(decoded);
  return makeUtm((name) => pairs.find(([one]) => one === `utm_${name}`)?.[1] ?? '');
}

// Half of a pair of surrogates cannot be encoded.
const encoded = (value: string): string => encodeURIComponent(value.replace(/[\ud800-\udfff]/gu, '\ufffd'));

/**
 * Sets these parameters of an address: each stays in its place, new ones come last, and empty ones go. Everything else
 * stays as it is written.
 */
export function withUtm(url: string, values: Partial<Utm>): string {
  const present = utmIn(url);
  const names = utmNames.filter((name) => (values[name] ?? present[name]) !== present[name]);
  if (names.length === 0) return url;
  const { page, pairs, fragment } = splitUrl(url);
  for (const name of names) {
    const value = values[name] ?? '';
    const added = value === '' ? [] : [`utm_${name}=${encoded(value)}`];
    const places = pairs.flatMap((pair, at) => (decoded(pair)[0] === `utm_${name}` ? [at] : []));
    // A repeated parameter counts once.
    for (const at of places.slice(1).reverse()) pairs.splice(at, 1);
    const [at] = places;
    if (at !== undefined) pairs.splice(at, 1, ...added);
    else pairs.splice(pairs.at(-1) === '' ? -1 : pairs.length, 1, ...added);
  }
  return `${page}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}${fragment}`;
}

/** The values among these that an address lacks. */
export function missingIn(url: string, values: Utm): Partial<Utm> {
  const present = utmIn(url);
  return Object.fromEntries(
    utmNames.flatMap((name) => (values[name] !== '' && present[name] === '' ? [[name, values[name]]] : [])),
  );
}

/** The URL of a target after its link's parameters changed: it follows the link, except in values of its own. */
export function followUtm(url: string, before: Utm, after: Utm): string {
  const own = utmIn(url);
  const names = utmNames.filter((name) => own[name] === before[name] && after[name] !== before[name]);
  return withUtm(url, Object.fromEntries(names.map((name) => [name, after[name]])));
}

/** The values of a template's placeholders; null if they are not known yet. */
export type UtmValues = Readonly<Record<'alias' | 'space' | 'date', string | null>>;

/** Without a space, its placeholder goes with what separates it. */
const withoutSpace = (text: string): string =>
  text.replaceAll(
    /([-_. ]*)\{space\}([-_. ]*)/g,
    (_, before: string, after: string) => before && after && before,
  );

/** Fills a template as the service does; placeholders with unknown values stay. */
export const filledUtm = (template: Readonly<Record<UtmName, string | null>>, values: UtmValues): Utm =>
  makeUtm((name) =>
    (values.space === '' ? withoutSpace(template[name] ?? '') : (template[name] ?? '')).replaceAll(
      /\{(alias|space|date)\}/g,
      (placeholder, one: keyof UtmValues) => values[one] ?? placeholder,
    ),
  );

/** The day in UTC, as the service writes it. */
export const utcToday = (): string => new Date().toISOString().slice(0, 10);

/** The values in a line. */
export const utmLine = ({ campaign, source, medium, term, content }: Utm): string =>
  [campaign, source, medium, term, content].filter((value) => value !== '').join(' · ');

/** The end of an alias for the source with this number. */
export const toSlug = (source: string, number: number): string =>
  source
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || String(number);

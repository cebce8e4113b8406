import { trimPasted } from '../input.ts';
import { normalizeHost } from '../url.ts';
import type { Format } from './formats.ts';
import { listIn, listOf } from './values.ts';
import { textOf, wrong } from './wrong-value.ts';

/** A pixel described by a line. */
export interface DescribedPixel {
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** What separates two short URLs in a text. */
const URL_SEPARATOR = /[,;|]\s*(?=(?:[a-z]+:\/\/)?[\w-]+\.[\w.:-]+\/)/i;

/** The properties of a value, of which any may be absent. */
function propertiesOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** The short URLs in a value. */
export function shortUrlsIn(value: unknown): unknown[] {
  return listIn(value, URL_SEPARATOR).filter((url) => url !== null);
}

const ROOT = 'the root of a domain is no link, and is not imported';

/** The host and the alias of a short URL, with or without its scheme. */
export interface ShortUrlParts {
  readonly host: string;
  readonly alias: string;
}

function partsOf(shortUrl: unknown, { root, inFolder }: Format): ShortUrlParts {
  const { url, link } = propertiesOf(shortUrl);
  const text = trimPasted(textOf(url ?? link ?? shortUrl)).replace(/^[a-z]+:\/\//i, '');
  const [host = '', ...path] = text.split(/[?#]/)[0]?.split('/') ?? [];
  const normal = normalizeHost(host);
  const whole = path.join('/').replace(/\/$/, '');
  const alias = inFolder ? whole.replace(/^.*\//, '') : whole;
  if (normal === null || alias === '' || alias === root)
    wrong(shortUrl, `a short URL with a host and an alias: ${ROOT}`);
  return { host: normal, alias };
}

/** How many short URLs a record may have: each becomes a link. */
const MAX_SHORT_URLS = 100;

/** The hosts and aliases of the short URLs in a value. */
export function shortUrlsOf(value: unknown, format: Format): ShortUrlParts[] {
  const urls = shortUrlsIn(value);
  if (urls.length > MAX_SHORT_URLS) wrong(urls, `at most ${MAX_SHORT_URLS} short URLs`);
  return urls.map((url) => partsOf(url, format));
}

/** The host of a domain: as a name, as a URL, or as an object with one. */
export function hostIn(value: unknown): string {
  const { fullName, name, address } = propertiesOf(value);
  const allowed = 'a host name, such as go.example';
  const text = trimPasted(textOf(fullName ?? name ?? address ?? value, allowed))
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/\/.*$/, '');
  return normalizeHost(text) ?? wrong(value, allowed);
}

/** The alias without the slash that some exports put before it. */
export function aliasIn(value: unknown, root: string | undefined): string {
  const alias = trimPasted(textOf(value)).replace(/^\//, '');
  return alias === root ? wrong(value, `an alias: ${ROOT}`) : alias;
}

export function pixelsOf(value: unknown): DescribedPixel[] {
  return listOf(value).map((pixel) => {
    const { name, type, value: id } = propertiesOf(pixel);
    if (name === undefined || type === undefined || id === undefined)
      return wrong(pixel, 'a pixel with its name, type and value');
    return { name: textOf(name), type: textOf(type), value: textOf(id) };
  });
}

/** Targets by country from an object with a URL for each, or from its JSON text. */
export function countryTargetsOf(value: unknown): { country: string; url: unknown }[] {
  let urls: unknown = value;
  try {
    if (typeof value === 'string') urls = JSON.parse(value);
  } catch {
    // Reported below.
  }
  if (typeof urls !== 'object' || urls === null || Array.isArray(urls))
    return wrong(value, 'an object with a URL for each country, such as {"DE":"https://example.com/de"}');
  return Object.entries(urls).map(([country, url]) => ({ country, url }));
}

import { trimPasted } from '../input.ts';
import { normalizeHost } from '../url.ts';
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

/** The host and the alias of a short URL, with or without its scheme; of several, those of the first. */
export function partsOf(shortUrl: unknown): { host: string | null; alias: string } {
  const [one] = listIn(shortUrl, URL_SEPARATOR);
  const text = trimPasted(textOf(one)).replace(/^[a-z]+:\/\//i, '');
  const [host = '', ...path] = text.split(/[?#]/)[0]?.split('/') ?? [];
  const normal = normalizeHost(host);
  const alias = path.join('/').replace(/\/$/, '');
  if (normal === null || alias === '') wrong(shortUrl, 'a short URL with a host and an alias');
  return { host: normal, alias };
}

/** The properties of a value, of which any may be absent. */
function propertiesOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
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
export function aliasIn(value: unknown): string {
  return trimPasted(textOf(value)).replace(/^\//, '');
}

export function pixelsOf(value: unknown): DescribedPixel[] {
  return listOf(value).map((pixel) => {
    const { name, type, value: id } = propertiesOf(pixel);
    if (name === undefined || type === undefined || id === undefined)
      return wrong(pixel, 'a pixel with its name, type and value');
    return { name: textOf(name), type: textOf(type), value: textOf(id) };
  });
}

import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { textOf } from './input.ts';

/** Whether it is an absolute URL. Not by URL.canParse: Node 22's refuses letters such as ü after some thousand calls. */
function isUrl(text: string): boolean {
  return URL.parse(text) !== null;
}

/** URL parsers skip control characters and missing hosts; neither belongs into an address that is kept as written. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^/\\?#\p{Cc}][^\p{Cc}]*$/iu.test(text) && isUrl(text);
}

/** The most that browsers and servers agree on, in characters. */
const MAX_URL = 2048;

/** An absolute http or https URL with a host, kept as it was written. */
export const webAddress = textOf(1, MAX_URL)
  .refine((text) => text === '' || isWebAddress(text), 'must be an absolute http or https URL')
  .meta({ format: 'uri' });

/** What is said of an address that is too long for a header. */
export const tooLongAsSent = `may have at most ${MAX_URL} characters as it is sent, with special ones escaped`;

/** Whether clients take the address in a header. */
export function isSendable(address: string): boolean {
  // The parser adds the slash of a path that is missing.
  return new URL(address).href.length <= MAX_URL + 1;
}

/** A host without the dot that it may end with, which makes it no other host. */
function withoutFinalDot(host: string): string {
  return host.replace(/\.(?=:|$)/, '');
}

/** How much of a host is looked at, in characters: a name has 253 at most, and escapes of it three times as many. */
const LONGEST_HOST = 800;
const NORMAL_HOST =
  /^(?!.*xn--)(?=.{1,250}(?::|$))[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z][a-z\d-]*(?::(?!80$)[1-9]\d{0,3})?$/;

/**
 * A host as browsers send it: small letters, international names in ASCII, the port where it is not the usual one, no
 * final dot. Null where the text is anything but a host.
 */
export function normalizeHost(text: string): string | null {
  if (text.length > LONGEST_HOST) return null;
  // What is normal already needs no parser; a number at the end may be an IP address in disguise.
  if (NORMAL_HOST.test(text)) return text;
  if (/[/?#@\\\s]/.test(text) || !isUrl(`http://${text}`)) return null;
  const host = withoutFinalDot(new URL(`http://${text}`).host);
  return host === '' || host.length > 255 ? null : host;
}

/** The labels of a host name, by the rules of DNS, with the underscores that some have; IP addresses and wildcards are none. */
const HOST_NAME = /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)*[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

/** Whether a normal host is a name that somebody can own, and not this machine's own. */
export function isHostName(host: string): boolean {
  const name = withoutPort(host);
  return HOST_NAME.test(name) && isIP(name) === 0 && !/(^|\.)localhost$/.test(name);
}

/** The host's name or address alone. */
export function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '');
}

/** The host that a web address leads to, as normalizeHost would give it. */
export function hostOf(address: string): string {
  return withoutFinalDot(new URL(address).host);
}

/** The name of a query parameter as it was meant. */
function nameIn(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  if (!/[%+]/.test(name)) return name;
  return new URLSearchParams(`${name}=`).keys().next().value ?? '';
}

/** The addresses that visitors were led to last, in ASCII. */
const inAscii = new LRUCache<string, string>({ max: 2_000 });

/** The address in ASCII, as a header takes it. */
export function asciiOf(address: string): string {
  const known = inAscii.get(address);
  if (known !== undefined) return known;
  const { href } = new URL(address);
  inAscii.set(address, href);
  return href;
}

/**
 * The address with the parameters of a query added, but for those that it has already; in ASCII, as a header takes it.
 * What is there stays as it is spelled, the fragment at its end.
 */
export function withQuery(address: string, query: string): string {
  if (query === '') return asciiOf(address);
  const url = new URL(address);
  const known = new Set(url.searchParams.keys());
  const added = query.split('&').filter((pair) => pair !== '' && !known.has(nameIn(pair)));
  if (added.length === 0) return url.href;
  url.search = [...(url.search === '' ? [] : [url.search.slice(1)]), ...added].join('&');
  return url.href;
}

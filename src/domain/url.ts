import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { encodeBidi } from '../shared/bidirectional.ts';
import { textOf, trimPasted } from './input.ts';
import { refusal } from './rules.ts';

/** Whether it is an absolute URL. Without URL.canParse, which in Node 22 refuses letters such as ü after a few thousand calls. */
function isUrl(text: string): boolean {
  return URL.parse(text) !== null;
}

/** URL parsers accept control characters and missing hosts; an address that is stored as written must have neither. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^/\\?#\p{Cc}][^\p{Cc}]*$/iu.test(text) && !NO_HOST.test(text) && isUrl(text);
}

const TWO_SCHEMES = /^https?:\/\/https?(:\/|:?\/\/)/i;

/** What parsers take for a host, and nobody has: the scheme of a second https://, and a name with a comma. */
const NO_HOST = new RegExp(`${TWO_SCHEMES.source}|^https?://([^/\\\\?#]*@)?[^/\\\\?#@]*,`, 'i');

/** The longest URL that browsers and servers commonly accept, in characters. */
export const MAX_URL = 2048;

/** Such as htp:// or https:/ before the address. */
const MISTYPED_SCHEME = /^(?!https?:\/\/)h?t{1,3}p{0,3}s{0,2}[:;]?\/+/i;

/** The rule that refuses what is no web address. */
function ruleAgainst(text: string) {
  if (MISTYPED_SCHEME.test(text) || TWO_SCHEMES.test(text)) return 'URL_SCHEME';
  const host = /^https?:\/\/([^/\\?#]*)/i.exec(text)?.[1];
  if (host === undefined) return 'URL';
  if (/\p{Cc}/u.test(text)) return 'CONTROL_CHARACTERS';
  return host === '' ? 'URL_WITHOUT_HOST' : /\s/.test(host) ? 'URL_HOST_SPACE' : 'URL_HOST';
}

/** An absolute http or https URL with a host, stored as it was written, except for characters that change its direction. */
export const webAddress = textOf(1, MAX_URL, (text) => encodeBidi(trimPasted(text))).refine(
  (text) => text === '' || isWebAddress(text),
  {
    error: ({ input }) => refusal(ruleAgainst(String(input))),
  },
);

/** The message for an address that is too long for a header. */
export const tooLongAsSent = refusal('URL_AS_SENT', { max: MAX_URL });

/** Whether clients accept the address in a header. */
export function isSendable(address: string): boolean {
  // The parser adds a slash for an empty path.
  return new URL(address).href.length <= MAX_URL + 1;
}

/** A web address that clients accept in a header. */
export const sendableAddress = webAddress.refine((text) => !isUrl(text) || isSendable(text), tooLongAsSent);

/** A host without a final dot, with which it would be the same host. */
function withoutFinalDot(host: string): string {
  return host.replace(/\.(?=:|$)/, '');
}

/** The longest host that is parsed, in characters: a name has at most 253, percent-encoded three times as many. */
const MAX_HOST_LENGTH = 800;
const NORMAL_HOST =
  /^(?!.*xn--)(?=.{1,250}(?::|$))[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z][a-z\d-]*(?::(?!80$)[1-9]\d{0,3})?$/;

/**
 * A host as browsers send it: lower case, international names in ASCII, the port unless it is the default one, no
 * final dot. Null if the text is not a host.
 */
export function normalizeHost(text: string): string | null {
  if (text.length > MAX_HOST_LENGTH) return null;
  // A host in normal form needs no parser. A number at the end may be another form of an IP address.
  if (NORMAL_HOST.test(text)) return text;
  if (/[/?#@\\\s\p{Cc}]/u.test(text) || !isUrl(`http://${text}`)) return null;
  const host = withoutFinalDot(new URL(`http://${text}`).host);
  return host === '' || host.length > 255 || host !== withoutFinalDot(host) ? null : host;
}

/** A host name, by the rules of DNS and with underscores; IP addresses and wildcards do not match. */
export const HOST_NAME = /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)*[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

const LOCAL_NAME = /(^|\.)localhost$/;

/** Whether a normalized host is a name that an account can own; not localhost, an IP address, or the port 0. */
export function isHostName(host: string): boolean {
  const name = withoutPort(host);
  return !host.endsWith(':0') && HOST_NAME.test(name) && isIP(name) === 0 && !LOCAL_NAME.test(name);
}

/** The host without its port. */
export function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '');
}

/**
 * The names that a domain which serves the host may have, the first one that exists counts: the host with its port, or the
 * host without it.
 */
export function namesServing(host: string): readonly string[] {
  return [...new Set([host, withoutPort(host)])];
}

/** The host of a web address, as normalizeHost returns it. */
export function hostOf(address: string): string {
  return withoutFinalDot(new URL(address).host);
}

/** The host without its port, so that different spellings are equal: an IPv4 address in IPv6 becomes IPv4. */
export function plainHost(host: string): string {
  const name = withoutPort(host);
  return name.startsWith('[') ? ipaddr.process(name.slice(1, -1)).toString() : name;
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Whether the address has this host, as a request may name it, in any spelling. A host does not say its scheme, and a proxy that ends
 * https may name its own port: both default ports are as none.
 */
export function isOnHost(address: string, asked: string): boolean {
  const [host, own] = [normalizeHost(asked), hostOf(address)].map((one) => one?.replace(/:(80|443)$/, ''));
  return host === own;
}

/** Whether the address leads to this machine. */
export function isLoopback(address: string): boolean {
  const host = plainHost(hostOf(address));
  return (
    LOCAL_NAME.test(host) ||
    // Unspecified addresses such as 0.0.0.0 lead to the same machine.
    (isIP(host) !== 0 && ['loopback', 'unspecified'].includes(ipaddr.parse(host).range()))
  );
}

function portOf(address: string): string {
  const { port, protocol } = new URL(address);
  return port || (defaultPorts[protocol] ?? '');
}

/** Tells the addresses that lead to the service by another name of its machine: loopback, with one of its ports. */
export function otherNamesOf(baseUrl: string, port: number): (address: string) => boolean {
  const ports = new Set([String(port), portOf(baseUrl)]);
  const own = hostOf(baseUrl);
  return (address) => isLoopback(address) && ports.has(portOf(address)) && hostOf(address) !== own;
}

/** The decoded name of a query parameter. */
export function nameIn(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  if (!/[%+]/.test(name)) return name;
  return new URLSearchParams(`${name}=`).keys().next().value ?? '';
}

/** A cache of recent destinations in ASCII. */
const inAscii = new LRUCache<string, string>({
  max: 2_000,
  memoMethod: (address) => new URL(address).href,
});

/** The address in ASCII, for a header. */
export function asciiOf(address: string): string {
  return inAscii.memo(address);
}

/**
 * The address with the parameters of a query added, except those that it has already; in ASCII, for a header.
 * Its own parts are not re-encoded, and its fragment stays at the end.
 */
export function withQuery(address: string, query: string): string {
  if (query === '') return asciiOf(address);
  const url = new URL(address);
  const known = new Set(url.searchParams.keys());
  const added = query.split('&').filter((pair) => pair !== '' && !known.has(nameIn(pair)));
  if (added.length === 0) return url.href;
  const separator = url.search === '' || url.search.endsWith('&') ? '' : '&';
  url.search += separator + added.join('&');
  return url.href;
}

/** The short URL of an alias on a domain. */
export function shortUrlOf(
  { scheme }: { readonly scheme: string },
  domain: { name: string },
  { alias }: { alias: string },
): string {
  return `${scheme}//${domain.name}/${alias}`;
}

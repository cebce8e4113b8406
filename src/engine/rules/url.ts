import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { encodeBidi } from '../tools/bidirectional.ts';
import { isLongHost, parseUrl } from '../tools/parse-url.ts';
import { readOnce } from '../tools/remembered.ts';
import { textSchema, trimPasted } from './input.ts';
import { refusal, refusing } from './refusal.ts';

/** A URL as a parser reads it. */
interface Address {
  /** In ASCII. */
  readonly href: string;
  /** Lower case, in ASCII, with the port unless it is the default one. */
  readonly host: string;
}

/** Cached facts about a text. */
interface Known {
  /** Null if it is no URL. */
  readonly address: Address | null;
  /** The rule that refuses it as a web address, or null; undefined until that is asked for. */
  rule?: AddressRule | null;
}

/**
 * Cache of recent texts, limited by their characters to far more than a request may have. Each text is parsed once,
 * however many rules look at it, and however often it is read.
 */
const addresses = new LRUCache<string, Known>({
  maxSize: 5_000_000,
  sizeCalculation: (_known, text) => text.length + 80,
  memoMethod(text) {
    const url = parseUrl(text);
    return { address: url && { href: url.href, host: url.host } };
  },
});

function parseAddress(text: string): Address | null {
  return addresses.memo(text).address;
}

/** True if the text is an absolute URL. */
function isUrl(text: string): boolean {
  return parseAddress(text) !== null;
}

/** URL parsers accept control characters and missing hosts; an address that is stored as written must have neither. */
function isWebAddress(text: string): boolean {
  return /^https?:\/\/[^/\\?#\p{Cc}][^\p{Cc}]*$/iu.test(text) && !NO_HOST.test(text) && isUrl(text);
}

/** The rule that refuses a text as a web address; null for a web address. */
function addressRule(text: string): AddressRule | null {
  const known = addresses.memo(text);
  if (known.rule === undefined) known.rule = isWebAddress(text) ? null : ruleAgainst(text);
  return known.rule;
}

const TWO_SCHEMES = /^https?:\/\/https?(:\/|:?\/\/)/i;

/** Parts that parsers take for a host and nobody has: the scheme of a second https://, a name with a comma. */
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

type AddressRule = ReturnType<typeof ruleAgainst>;

/** An address without what was copied with it, as it is stored. */
const normalAddress = readOnce((text) => encodeBidi(trimPasted(text)));

/** An absolute http or https URL with a host, stored as it was written, except for characters that change its direction. */
export const webAddress = textSchema(1, MAX_URL, normalAddress).refine(
  (text) => text === '' || addressRule(text) === null,
  { error: refusing(({ input }) => refusal(addressRule(String(input)) ?? 'URL')) },
);

/** The message for an address that is too long for a header. */
export const tooLongAsSent = refusal('URL_AS_SENT', { max: MAX_URL });

/** True if clients accept the address in a header. */
export function isSendable(address: string): boolean {
  // The parser adds a slash for an empty path.
  return toAscii(address).length <= MAX_URL + 1;
}

/** A web address that clients accept in a header. */
export const sendableAddress = webAddress.refine((text) => !isUrl(text) || isSendable(text), tooLongAsSent);

/** A host without a final dot, with which it would be the same host. */
function withoutFinalDot(host: string): string {
  return host.replace(/\.(?=:|$)/, '');
}

const NORMAL_HOST =
  /^(?!.*xn--)(?=.{1,253}(?::|$))[a-z\d-]+(?:\.[a-z\d-]+)*\.[a-z][a-z\d-]*(?::(?!80$)[1-9]\d{0,3})?$/;

/**
 * A host as browsers send it: lower case, international names in ASCII, the port unless it is the default one, no
 * final dot. Null if the text is not a host.
 */
export function normalizeHost(text: string): string | null {
  if (isLongHost(text)) return null;
  // A host in normal form needs no parser. A number at the end may be another form of an IP address.
  if (NORMAL_HOST.test(text)) return text;
  if (/[/?#@\\\s\p{Cc}]/u.test(text)) return null;
  const address = parseAddress(`http://${text}`);
  return address && normalHost(address);
}

/** The host of a parsed address, as normalizeHost gives it. */
export function normalHost({ host: parsed }: Pick<Address, 'host'>): string | null {
  const host = withoutFinalDot(parsed);
  return host === '' || isLongHost(host) || host !== withoutFinalDot(host) ? null : host;
}

/** The host without the default port of either scheme, which no browser names. */
export function withoutDefaultPort(host: string): string {
  return host.replace(/:(80|443)$/, '');
}

/** A host name, by the rules of DNS and with underscores; IP addresses and wildcards do not match. */
export const HOST_NAME = /^(?:[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?\.)*[a-z\d_](?:[a-z\d_-]{0,61}[a-z\d_])?$/;

const LOCAL_NAME = /(^|\.)localhost$/;

/** True if a normalized host is a name that an account can own: not localhost, an IP address, or the port 0. */
export function isHostName(host: string): boolean {
  const name = withoutPort(host);
  return !host.endsWith(':0') && HOST_NAME.test(name) && isIP(name) === 0 && !LOCAL_NAME.test(name);
}

/** The host without its port. */
export function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '');
}

/** The host of a web address, as normalizeHost returns it; empty if it cannot be parsed, as some of earlier versions. */
export function hostOf(address: string): string {
  return withoutFinalDot(parseAddress(address)?.host ?? '');
}

/** The scheme of a web address: `https:`. */
export function protocolOf(address: string): string {
  return toAscii(address).split('//', 1)[0] ?? '';
}

/** The path of a web address. */
export function pathIn(address: string): string {
  return /^[^/]*\/\/[^/?#]*([^?#]*)/.exec(toAscii(address))?.[1] ?? '';
}

/** True if an address has a user or a password. */
export function hasUser(address: string): boolean {
  return /^[^/]*\/\/[^/?#]*@/.test(toAscii(address));
}

/** The host without its port, so that different spellings are equal: an IPv4 address in IPv6 becomes IPv4. */
export function plainHost(host: string): string {
  const name = withoutPort(host);
  return name.startsWith('[') ? ipaddr.process(name.slice(1, -1)).toString() : name;
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * True if the address has this host, in any spelling that a request may use. A host does not say its scheme, and a
 * proxy that ends https may add its own port. Both default ports therefore count as none.
 */
export function isOnHost(address: string, asked: string): boolean {
  const [host, own] = [normalizeHost(asked), hostOf(address)].map((one) => one && withoutDefaultPort(one));
  return host === own;
}

/** True if the address leads to this machine. */
export function isLoopback(address: string): boolean {
  const host = plainHost(hostOf(address));
  return (
    LOCAL_NAME.test(host) ||
    // Unspecified addresses such as 0.0.0.0 lead to the same machine.
    (isIP(host) !== 0 && ['loopback', 'unspecified'].includes(ipaddr.parse(host).range()))
  );
}

function effectivePort(address: string): string {
  return /:(\d+)$/.exec(hostOf(address))?.[1] ?? defaultPorts[protocolOf(address)] ?? '';
}

/** Tells the addresses that lead to the service by another name of its machine: loopback, with one of its ports. */
export function matchOtherNames(baseUrl: string, port: number): (address: string) => boolean {
  const ports = new Set([String(port), effectivePort(baseUrl)]);
  const own = hostOf(baseUrl);
  return (address) => isLoopback(address) && ports.has(effectivePort(address)) && hostOf(address) !== own;
}

/** The decoded name of a query parameter. */
export function nameIn(pair: string): string {
  const [name = ''] = pair.split('=', 1);
  if (!/[%+]/.test(name)) return name;
  // The parser drops one question mark at the start.
  return new URLSearchParams(`?${name}=`).keys().next().value ?? '';
}

/** The address in ASCII, for a header. */
export function toAscii(address: string): string {
  return (
    parseAddress(address)?.href ??
    // Earlier versions took hosts that lead nowhere.
    address.toWellFormed().replaceAll(/[^!-~]+/g, encodeURIComponent)
  );
}

/** An address as people read it. */
export interface ShownAddress {
  readonly scheme: string;
  /** The host, in ASCII, and what follows it as it was written. */
  readonly place: string;
  /** The user name, which may look like a host; null for none. */
  readonly user: string | null;
}

/** The parts of an address, without its password. */
export function shownAddress(address: string): ShownAddress {
  const [, scheme = '', authority = '', rest = ''] = /^(https?:\/\/)?([^/\\?#]*)(.*)$/is.exec(address) ?? [];
  const at = authority.lastIndexOf('@');
  const host = hostOf(address) || authority.slice(at + 1);
  const [user = ''] = authority.slice(0, Math.max(0, at)).split(':', 1);
  return { scheme, place: host + rest, user: user || null };
}

/** A part of a query as parsers write it. */
function escapedQuery(text: string): string {
  const encoded = text.replaceAll(/[\t\n\r]/g, '').toWellFormed();
  return encoded.replaceAll(/[^!$-&(-;=?-~]+/g, (part) => encodeURIComponent(part).replaceAll("'", '%27'));
}

/** Characters of a path that need no encoding there (RFC 3986, 3.3), as they are encoded. */
const PLAIN_IN_PATH = /%(?:24|26|2B|2C|3A|3B|3D|40)/g;

/** The address with segments added to its path, before its query and its fragment; in ASCII, for a header. */
export function withPath(address: string, segments: readonly string[]): string {
  const [, page = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(toAscii(address)) ?? [];
  const added = segments.map((segment) =>
    encodeURIComponent(segment).replaceAll(PLAIN_IN_PATH, decodeURIComponent),
  );
  return `${page.replace(/\/$/, '')}/${added.join('/')}${rest}`;
}

/**
 * The address with the parameters of a query added, except those that it has already; in ASCII, for a header.
 * Its own parts are not re-encoded, and its fragment stays at the end.
 */
export function withQuery(address: string, query: string): string {
  const ascii = toAscii(address);
  if (query === '') return ascii;
  const [, page = '', search, fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(.*)$/s.exec(ascii) ?? [];
  const known = search ? new Set(new URLSearchParams(`?${search}`).keys()) : NO_NAMES;
  const added = query
    .split('&')
    .filter((pair) => pair !== '' && !(known.size > 0 && known.has(nameIn(pair))));
  if (added.length === 0) return ascii;
  const more = added.join('&');
  // As the setter of a URL has it.
  if (!search) return `${page}?${escapedQuery(more.replace(/^\?/, ''))}${fragment}`;
  return `${page}?${search}${search.endsWith('&') ? '' : '&'}${escapedQuery(more)}${fragment}`;
}

const NO_NAMES: ReadonlySet<string> = new Set();

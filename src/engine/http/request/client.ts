import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import proxyaddr from 'proxy-addr';
import { trimBlanks } from '../../tools/blanks.ts';

/** Returns true if the proxy at an address, at that distance from us, is trusted. */
export interface Trust {
  (address: string, distance: number): boolean;
  /** Called with a peer that forwards requests and is not trusted. */
  ignored?: (peer: string) => void;
}

/** The ranges of addresses, in the words of `ipaddr.js`, in which a proxy in front is. */
const NEAR: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'linkLocal',
  'uniqueLocal',
  'carrierGradeNat',
]);

/** The shortest time between two warnings of an untrusted proxy, in milliseconds. */
const WARNING_INTERVAL = 3_600_000;

/**
 * Warns of a private or loopback peer whose `X-Forwarded-For` is ignored: a proxy in front, for which all visitors are one. Other
 * peers may be visitors who make it up.
 */
export function makeWarning(
  log: Pick<Logger, 'warn'>,
  now = () => performance.now(),
): (peer: string) => void {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return (peer) => {
    const at = now();
    if (at - warnedAt < WARNING_INTERVAL || !NEAR.has(ipaddr.process(peer).range())) return;
    warnedAt = at;
    log.warn(
      { peer },
      'X-Forwarded-For of a peer that TRUST_PROXY does not name is ignored: all clients of this proxy count as one',
    );
  };
}

/** @param trust false, the number of proxies, or their addresses */
export function parseTrust(trust: false | number | string): Trust {
  if (trust === false) return () => false;
  if (typeof trust === 'number') return (_address, distance) => distance < trust;
  return proxyaddr.compile(trust.split(',').map((one) => one.trim()));
}

/** An address without blanks and the port that some proxies add: `192.0.2.1:5000`, `[2001:db8::1]:5000`. */
function withoutPort(address: string): string {
  const trimmed = trimBlanks(address);
  const [, v4, v6] = /^(?:([\d.]+):\d*|\[(.*)\](?::\d*)?)$/.exec(trimmed) ?? [];
  return v4 ?? v6 ?? trimmed;
}

/** Maximum number of proxies that a request may have passed, and of characters of an address in a header. */
const MAX_PROXIES = 100;
const MAX_ADDRESS = 100;

/** The addresses in a header from its end, each when it is asked for. */
function* addressesIn(header: string): Generator<string> {
  for (let end = header.length; end > 0; ) {
    const comma = header.lastIndexOf(',', end - 1);
    const address = trimBlanks(header.slice(comma + 1, end));
    if (address !== '') yield withoutPort(address.slice(0, MAX_ADDRESS));
    end = comma;
  }
}

/** The first address, from the connection back, that is not the address of a trusted proxy. */
function forwardedAddress(header: string, remoteAddress: string, trust: Trust): string {
  let address = withoutPort(remoteAddress);
  let distance = 0;
  for (const before of addressesIn(header)) {
    if (distance >= MAX_PROXIES || !trust(address, distance)) break;
    address = before;
    distance++;
  }
  return address;
}

interface Client {
  readonly address: string;
  readonly host: string;
}

/** The property of a request with what proxies say of its client. */
const CLIENT = Symbol('client');

/** The client's address and the requested host, using the headers of trusted proxies, which are read once. */
export function findClient(req: IncomingMessage & { [CLIENT]?: Client }, trust: Trust): Client {
  const { remoteAddress } = req.socket;
  // An aborted request has no address any more.
  if (remoteAddress === undefined) return { address: '', host: '' };
  const asked = req.headers.host ?? '';
  const known = req[CLIENT];
  if (known) return known;
  const { 'x-forwarded-for': addresses, 'x-forwarded-host': hosts } = req.headers;
  if (!trust(remoteAddress, 0)) {
    if (addresses !== undefined) trust.ignored?.(remoteAddress);
    return { address: remoteAddress, host: asked };
  }
  const host = trimBlanks(String(hosts ?? '').split(',', 1)[0] ?? '');
  const address = forwardedAddress(String(addresses ?? ''), remoteAddress, trust);
  req[CLIENT] = { address, host: host || asked };
  return req[CLIENT];
}

/** The scheme of the client's request, if a trusted proxy sends it; else the service's own, such as `https:`. */
export function findScheme(req: IncomingMessage, trust: Trust, own: string): string {
  const { remoteAddress } = req.socket;
  if (remoteAddress === undefined || !trust(remoteAddress, 0)) return own;
  const [forwarded = ''] = String(req.headers['x-forwarded-proto'] ?? '').split(',', 1);
  const scheme = trimBlanks(forwarded).toLowerCase();
  return scheme === '' ? own : `${scheme}:`;
}

/** True if the client disconnected before its request was complete. */
export function isAborted(req: IncomingMessage): boolean {
  return req.destroyed && !req.complete;
}

import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

/** Whether the proxy at an address, the `distance`-th from us, may speak for its clients. */
export type Trust = (address: string, distance: number) => boolean;

/** @param trust nobody, how many proxies stand in front, or which addresses they have */
export function trustOf(trust: false | number | string): Trust {
  if (trust === false) return () => false;
  if (typeof trust === 'number') return (_address, distance) => distance < trust;
  return proxyaddr.compile(trust.split(',').map((one) => one.trim()));
}

/** The address of whoever asks, and the host that it asked for, as far as trusted proxies tell. */
export function clientOf(req: IncomingMessage, trust: Trust): { address: string; host: string } {
  const { remoteAddress } = req.socket;
  // A request that was broken off has no address any more.
  if (remoteAddress === undefined) return { address: '', host: '' };
  const asked = req.headers.host ?? '';
  if (!trust(remoteAddress, 0)) return { address: remoteAddress, host: asked };
  const forwarded = String(req.headers['x-forwarded-host'] ?? '')
    .split(',', 1)[0]
    ?.trim();
  return { address: proxyaddr(req, trust), host: forwarded || asked };
}

/** The scheme by which the client asked, as far as trusted proxies tell; else the service's own, such as `https:`. */
export function schemeOf(req: IncomingMessage, trust: Trust, own: string): string {
  const { remoteAddress } = req.socket;
  if (remoteAddress === undefined || !trust(remoteAddress, 0)) return own;
  const [told = ''] = String(req.headers['x-forwarded-proto'] ?? '').split(',', 1);
  return told.trim() === '' ? own : `${told.trim().toLowerCase()}:`;
}

/** Whether the client went before all of its request came: it waits for no answer. */
export function isBrokenOff(req: IncomingMessage): boolean {
  return req.destroyed && !req.complete;
}

/**
 * What limits by address count as one: of IPv6 the first 64 bits, of which one customer has all; an IPv4 address however
 * it is written.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`)}/64`;
}

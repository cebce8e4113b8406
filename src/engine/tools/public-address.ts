import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Azure's metadata service, on a public address. Those of other clouds are on link-local, private or reserved ones. */
const METADATA = new Set(['168.63.129.16']);
/** The IPv6 addresses of the internet; those that contain IPv4 addresses are outside, or have a range of their own. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * True if an IP address is a public unicast address: not local, private, multicast or reserved. IPv6 addresses that
 * contain IPv4 ones are not public.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || METADATA.has(address)) return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6);
}

/** The address that a URL has as its host, without brackets; null if the host is a name, which is looked up. */
export function parseLiteral(hostname: string): string | null {
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(address) === 0 ? null : address;
}

import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A cloud's own services on an address that is nobody's else: Azure's. The others' are link-local, private or reserved. */
const METADATA = new Set(['168.63.129.16']);
/** All that is given out on the internet; what IPv4 is hidden in lies outside, or has a range of its own. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is a machine's on the internet: not this one, nor one of its network's, nor of no or several machines.
 * IPv6 addresses that stand for IPv4 ones are none.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || METADATA.has(address)) return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_IPV6);
}

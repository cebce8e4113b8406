import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { nameFor } from '../../engine/tools/name-for.ts';

/**
 * The network that limits and statistics count as one client: for IPv6 the first 64 bits, which belong to one customer; for IPv4 the
 * address in canonical form.
 */
export function networkOf(address: string): string {
  // Node's check takes the canonical form alone.
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`)}/64`;
}

/** The block of an address that the log shows: a /24 of IPv4, a /64 of IPv6; null for what is no address. */
export function blockOf(address: string): string | null {
  if (!ipaddr.isValid(address)) return null;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return `${ipaddr.IPv4.networkAddressFromCIDR(`${parsed}/24`)}/24`;
  return networkOf(address);
}

/** The name of a client's network, for limits and turns. */
export function networkName(address: string): string {
  return nameFor('network', networkOf(address));
}

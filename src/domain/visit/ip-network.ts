import ipaddr from 'ipaddr.js';
import { nameFor } from '../../shared/name-for.ts';

/**
 * The network that limits and statistics count as one client: for IPv6 the first 64 bits, which belong to one customer; for IPv4 the
 * address in canonical form.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed}/64`)}/64`;
}

/** The name of a client's network, for limits and turns. */
export function networkName(address: string): string {
  return nameFor('network', networkOf(address));
}

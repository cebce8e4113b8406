import ipaddr from 'ipaddr.js';

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

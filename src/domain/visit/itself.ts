import { aliasOfPath } from '../link/alias.ts';
import { isOnHost } from '../url.ts';

/** What a path leads to: an alias, in any form that finds its link, or else the path itself. */
export function placeOf(path: string): string {
  // Requests' paths have one slash at the start.
  const single = path.replace(/^\/+/, '/');
  return aliasOfPath(single) || single;
}

/**
 * Whether an address is the requested one, so that a redirect to it would go on for ever. The scheme and the query do not
 * matter: a proxy may add the one, and the redirect keeps the other.
 * @param place that of the requested path
 * @param hosts the requested host, and the name of its domain: a proxy may add its own port to the first
 */
export function isItself(address: string, place: string, hosts: readonly string[]): boolean {
  return placeOf(new URL(address).pathname) === place && hosts.some((host) => isOnHost(address, host));
}

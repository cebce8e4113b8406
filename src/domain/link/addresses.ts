import type { Link } from '../../generated/sqlite/client.ts';
import { targetingOf } from './targeting.ts';

/** The columns of a link that have addresses. */
export type Addresses = Pick<
  Link,
  'url' | 'expirationUrl' | 'countries' | 'platforms' | 'languages' | 'rotation'
>;

/** Every address that a stored link has, those of lists that its type leaves unused included. */
export function addressesOf(link: Addresses): Set<string> {
  const { countries, platforms, languages, rotation } = targetingOf({ targetType: 'NONE', ...link });
  const targets = [...countries, ...platforms, ...languages].map(({ url }) => url);
  const atTheEnd = link.expirationUrl === null ? [] : [link.expirationUrl];
  return new Set([link.url, ...atTheEnd, ...targets, ...rotation]);
}

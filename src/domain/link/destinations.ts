import type { Link } from '../../generated/sqlite/client.ts';
import { targetingOf } from './targeting.ts';

/** The columns of a link that contain addresses. */
export type Addresses = Pick<
  Link,
  'url' | 'expirationUrl' | 'countries' | 'platforms' | 'languages' | 'rotation'
>;

/** Every address of a stored link, including lists that its target type does not use. */
export function addressesOf(link: Addresses): Set<string> {
  const { countries, platforms, languages, rotation } = targetingOf({ targetType: 'NONE', ...link });
  const targets = [...countries, ...platforms, ...languages].map(({ url }) => url);
  const atTheEnd = link.expirationUrl === null ? [] : [link.expirationUrl];
  return new Set([link.url, ...atTheEnd, ...targets, ...rotation]);
}

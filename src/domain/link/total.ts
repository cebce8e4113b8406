import { linksInSpace, linksOf, linksOfStatus, linksOnDomain, type Total } from '../../db/reading/totals.ts';
import type { LinkStatus } from './status.ts';

/** The filter of a list of links. */
interface TotalFilter {
  readonly status?: LinkStatus | null | undefined;
  readonly domainId?: number | null | undefined;
  readonly spaceId?: number | null | undefined;
  readonly searchBy?: unknown;
  readonly [other: string]: unknown;
}

/**
 * An expression for the number of an account's links with at most one filter that has a stored total, so that it needs no
 * scan; else undefined.
 */
export function storedTotal(
  accountId: number,
  { status, domainId, spaceId: _spaceId, searchBy: _searchBy, ...others }: TotalFilter,
  spaces: readonly number[],
  now: () => Date,
): Total | undefined {
  const kept = [
    ...spaces.map((id) => linksInSpace(accountId, id)),
    ...(status ? [linksOfStatus(accountId, status, now())] : []),
    ...(domainId ? [linksOnDomain(accountId, domainId)] : []),
  ];
  // There are no stored totals for other filters, or for combinations.
  if (kept.length > 1 || Object.values(others).some(Boolean)) return undefined;
  return kept[0] ?? linksOf(accountId);
}

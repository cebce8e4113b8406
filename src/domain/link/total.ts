import { linksOf, linksOfStatus, type Total } from '../../db/reading/totals.ts';
import type { LinkStatus } from './status.ts';

/** The filter of a list of links. */
interface TotalFilter {
  readonly status?: LinkStatus | null | undefined;
  readonly searchBy?: unknown;
  readonly [other: string]: unknown;
}

/**
 * A fast expression for the number of an account's links, of all or of one status; undefined with any other filter, for which
 * the rows have to be counted.
 * @param isOfSpace whether the list is that of a space
 */
export function fastTotal(
  accountId: number,
  { status, searchBy: _searchBy, ...others }: TotalFilter,
  isOfSpace: boolean,
  now: () => Date,
): Total | undefined {
  if (isOfSpace || Object.values(others).some(Boolean)) return undefined;
  return status ? linksOfStatus(accountId, status, now()) : linksOf(accountId);
}

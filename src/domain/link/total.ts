import { type Sql, sql } from '../../db/reading/list.ts';
import {
  disabledLinksOf,
  endedLinksOf,
  linksInSpace,
  linksOf,
  linksOnDomain,
} from '../../db/reading/totals.ts';
import type { LinkStatus } from './status.ts';

/** What may narrow a list of links, but for spaces. */
interface Narrowing {
  readonly search?: string | null | undefined;
  readonly status?: LinkStatus | null | undefined;
  readonly withoutSpace?: boolean | null | undefined;
  readonly domainId?: number | null | undefined;
  readonly pixelId?: number | null | undefined;
}

function linksOfStatus(accountId: number, status: LinkStatus, now: Date): Sql {
  const disabled = disabledLinksOf(accountId);
  const ended = endedLinksOf(accountId, now);
  const numbers: Record<LinkStatus, Sql> = {
    ACTIVE: sql`(${linksOf(accountId)} - ${disabled} - ${ended})`,
    EXPIRED: ended,
    DISABLED: disabled,
  };
  return numbers[status];
}

/**
 * An expression for the number of an account's links, where at most one thing narrows them: that is kept, and costs no scan.
 * Else undefined.
 */
export function keptTotal(
  accountId: number,
  { search, status, withoutSpace, domainId, pixelId }: Narrowing,
  spaces: readonly number[],
  now: () => Date,
): Sql | undefined {
  const kept = [
    ...spaces.map((id) => linksInSpace(accountId, id)),
    ...(status ? [linksOfStatus(accountId, status, now())] : []),
    ...(domainId ? [linksOnDomain(accountId, domainId)] : []),
  ];
  if (search || withoutSpace || pixelId || kept.length > 1) return undefined;
  return kept[0] ?? linksOf(accountId);
}

import type { Link, LinkCounter } from '../../generated/sqlite/client.ts';

/** Each link has exactly one status; DISABLED has precedence over EXPIRED. `hasStatus` says the same in SQL. */
export const linkStatuses = {
  ACTIVE: 'It redirects visitors.',
  EXPIRED: 'Its time or its click limit is over.',
  DISABLED: 'It is disabled.',
} as const;

export type LinkStatus = keyof typeof linkStatuses;

type StatusColumns = Pick<Link, 'disabled' | 'expirationClicks'> &
  Pick<LinkCounter, 'clicks'> & { readonly expiresAt: Date | string | null };

/** @param now called only if the status depends on the time */
export function linkStatus(
  { disabled, expiresAt, expirationClicks, clicks }: StatusColumns,
  now: () => Date,
): LinkStatus {
  if (disabled) return 'DISABLED';
  const ended = expiresAt !== null && new Date(expiresAt) <= now();
  const usedUp = expirationClicks !== null && clicks >= expirationClicks;
  return ended || usedUp ? 'EXPIRED' : 'ACTIVE';
}

/** True if a link has begun: before its start, it does not exist for visitors. */
export function hasBegun({ startsAt }: Pick<Link, 'startsAt'>, now: Date): boolean {
  return startsAt === null || startsAt <= now;
}

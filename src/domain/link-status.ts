import { type Sql, sql } from '../db/list.ts';
import type { Link } from '../generated/sqlite/client.ts';

/** Each link is in exactly one of these; what disables it counts before what ends it. */
export const linkStatuses = {
  ACTIVE: 'It redirects visitors.',
  EXPIRED: 'Its time or its click limit is over.',
  DISABLED: 'It is disabled.',
} as const;

export type LinkStatus = keyof typeof linkStatuses;

type Life = Pick<Link, 'disabled' | 'expiresAt' | 'expirationClicks' | 'clicks'>;

/** @param now is asked only where the status depends on it */
export function statusOf(
  { disabled, expiresAt, expirationClicks, clicks }: Life,
  now: () => Date,
): LinkStatus {
  if (disabled) return 'DISABLED';
  const ended = expiresAt !== null && expiresAt <= now();
  const usedUp = expirationClicks !== null && clicks >= expirationClicks;
  return ended || usedUp ? 'EXPIRED' : 'ACTIVE';
}

/** The same, asked of rows. */
export function hasStatus(status: LinkStatus, now: Date): Sql {
  const conditions: Record<LinkStatus, Sql> = {
    ACTIVE: sql`NOT "disabled" AND ("expiresAt" IS NULL OR "expiresAt" > ${now})
      AND ("expirationClicks" IS NULL OR "clicks" < "expirationClicks")`,
    EXPIRED: sql`NOT "disabled" AND ("expiresAt" <= ${now} OR "clicks" >= "expirationClicks")`,
    DISABLED: sql`"disabled"`,
  };
  return sql`(${conditions[status]})`;
}

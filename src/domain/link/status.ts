import { type Sql, sql } from '../../db/connection/sql.ts';
import type { Link, LinkCounter } from '../../generated/sqlite/client.ts';

/** Each link has exactly one status; DISABLED has precedence over EXPIRED. */
export const linkStatuses = {
  ACTIVE: 'It redirects visitors.',
  EXPIRED: 'Its time or its click limit is over.',
  DISABLED: 'It is disabled.',
} as const;

export type LinkStatus = keyof typeof linkStatuses;

type Life = Pick<Link, 'disabled' | 'expiresAt' | 'expirationClicks'> & Pick<LinkCounter, 'clicks'>;

/** @param now called only if the status depends on the time */
export function statusOf(
  { disabled, expiresAt, expirationClicks, clicks }: Life,
  now: () => Date,
): LinkStatus {
  if (disabled) return 'DISABLED';
  const ended = expiresAt !== null && expiresAt <= now();
  const usedUp = expirationClicks !== null && clicks >= expirationClicks;
  return ended || usedUp ? 'EXPIRED' : 'ACTIVE';
}

const CLICKS = sql`(SELECT "clicks" FROM "LinkCounter" WHERE "linkId" = "Link"."id")`;

/** The condition of the partial index of links that can expire. */
const CAN_EXPIRE = sql`("expiresAt" IS NOT NULL OR "expirationClicks" IS NOT NULL)`;

/**
 * The same as a condition in SQL.
 * @param clicks the expression for a link's clicks, used only for links with a click limit
 */
export function hasStatus(status: LinkStatus, now: Date, clicks = CLICKS): Sql {
  const conditions: Record<LinkStatus, Sql> = {
    ACTIVE: sql`NOT "disabled" AND ("expiresAt" IS NULL OR "expiresAt" > ${now})
      AND ("expirationClicks" IS NULL OR ${clicks} < "expirationClicks")`,
    EXPIRED: sql`NOT "disabled" AND ${CAN_EXPIRE} AND ("expiresAt" <= ${now}
      OR ("expirationClicks" IS NOT NULL AND ${clicks} >= "expirationClicks"))`,
    DISABLED: sql`"disabled"`,
  };
  return sql`(${conditions[status]})`;
}

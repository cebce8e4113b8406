import { type Sql, sql } from '../sql.ts';
import type { Status } from './link-status.ts';

/** An expression for a number of rows. */
export type Total = Sql;

/** The number of an account's links: a sum of stored totals, since every page of the list needs it. */
export function linksOf(accountId: number): Total {
  return sql`(SELECT COALESCE(SUM("links"), 0) FROM "AccountTally" WHERE "accountId" = ${accountId})`;
}

/** The number of an account's links with the status, by indexes of those that are disabled or can expire. */
export function linksOfStatus(accountId: number, status: Status, now: Date): Total {
  const disabled = sql`(SELECT COUNT(*) FROM "Link" WHERE "accountId" = ${accountId} AND "disabled")`;
  const expired = sql`(SELECT COUNT(*) FROM "LinkCounter" WHERE "accountId" = ${accountId} AND "endsAt" <= ${now})`;
  const numbers: Record<Status, Total> = {
    ACTIVE: sql`(${linksOf(accountId)} - ${disabled} - ${expired})`,
    EXPIRED: expired,
    DISABLED: disabled,
  };
  return numbers[status];
}

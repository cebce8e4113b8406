import { type Sql, sql } from '../connection/sql.ts';
import type { Status } from './link-status.ts';

/** An expression for a number of rows. */
export type Total = Sql;

// Totals that triggers maintain: sums over a few rows, while counting would read all of an account's links.

/** The length of a period of "EndTally" in milliseconds: 2^20 seconds, as in the triggers. */
const PERIOD_MS = 2 ** 20 * 1000;

export function linksOf(accountId: number): Total {
  return sql`(SELECT COALESCE(SUM("links"), 0) FROM "AccountTally" WHERE "accountId" = ${accountId})`;
}

/** Links in a space of the account; 0 for another account's space. */
export function linksInSpace(accountId: number, spaceId: number): Total {
  return sql`(SELECT COALESCE(SUM("links"), 0) FROM "SpaceTally" JOIN "Space" ON "Space"."id" = "spaceId"
    WHERE "spaceId" = ${spaceId} AND "accountId" = ${accountId})`;
}

export function linksOnDomain(accountId: number, domainId: number): Total {
  return sql`(SELECT COALESCE(SUM("links"), 0) FROM "DomainTally"
    WHERE "accountId" = ${accountId} AND "domainId" = ${domainId})`;
}

function disabledLinksOf(accountId: number): Total {
  return sql`(SELECT COALESCE(SUM("disabled"), 0) FROM "AccountTally" WHERE "accountId" = ${accountId})`;
}

/** Expired links that are not disabled: the totals of past periods, plus a count within the current one. */
function endedLinksOf(accountId: number, now: Date): Total {
  const period = Math.floor(now.getTime() / PERIOD_MS);
  return sql`((SELECT COALESCE(SUM("links"), 0) FROM "EndTally" WHERE "accountId" = ${accountId} AND "period" < ${period})
    + (SELECT COUNT(*) FROM "LinkCounter" WHERE "accountId" = ${accountId}
      AND "endsAt" >= ${new Date(period * PERIOD_MS)} AND "endsAt" <= ${now}))`;
}

export function linksOfStatus(accountId: number, status: Status, now: Date): Total {
  const disabled = disabledLinksOf(accountId);
  const ended = endedLinksOf(accountId, now);
  const numbers: Record<Status, Sql> = {
    ACTIVE: sql`(${linksOf(accountId)} - ${disabled} - ${ended})`,
    EXPIRED: ended,
    DISABLED: disabled,
  };
  return numbers[status];
}

export function spacesOf(accountId: number): Total {
  return sql`(SELECT COALESCE(SUM("spaces"), 0) FROM "AccountTally" WHERE "accountId" = ${accountId})`;
}

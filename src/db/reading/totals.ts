import { type Sql, sql } from '../connection/sql.ts';

// Totals that triggers maintain, as expressions: sums over a few rows, while counting would read all of an account's links.

/** The length of a period of "EndTally" in milliseconds: 2^20 seconds, as in the triggers. */
const PERIOD_MS = 2 ** 20 * 1000;

export function linksOf(accountId: number): Sql {
  return sql`(SELECT COALESCE(SUM("links"), 0) FROM "AccountTally" WHERE "accountId" = ${accountId})`;
}

/** Links in a space of the account; 0 for another account's space. */
export function linksInSpace(accountId: number, spaceId: number): Sql {
  return sql`(SELECT COALESCE(SUM("links"), 0) FROM "SpaceTally" JOIN "Space" ON "Space"."id" = "spaceId"
    WHERE "spaceId" = ${spaceId} AND "accountId" = ${accountId})`;
}

export function linksOnDomain(accountId: number, domainId: number): Sql {
  return sql`(SELECT COALESCE(SUM("links"), 0) FROM "DomainTally"
    WHERE "accountId" = ${accountId} AND "domainId" = ${domainId})`;
}

export function disabledLinksOf(accountId: number): Sql {
  return sql`(SELECT COALESCE(SUM("disabled"), 0) FROM "AccountTally" WHERE "accountId" = ${accountId})`;
}

/** Expired links that are not disabled: the totals of past periods, plus a count within the current one. */
export function endedLinksOf(accountId: number, now: Date): Sql {
  const period = Math.floor(now.getTime() / PERIOD_MS);
  return sql`((SELECT COALESCE(SUM("links"), 0) FROM "EndTally" WHERE "accountId" = ${accountId} AND "period" < ${period})
    + (SELECT COUNT(*) FROM "LinkCounter" WHERE "accountId" = ${accountId}
      AND "endsAt" >= ${new Date(period * PERIOD_MS)} AND "endsAt" <= ${now}))`;
}

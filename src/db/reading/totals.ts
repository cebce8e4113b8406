import { type Sql, sql } from './list.ts';

// Numbers of links that triggers keep, as expressions: sums over a few rows, where counting would read all of an account's links.

/** How many milliseconds a period of "EndTally" has: 2^20 seconds, as the triggers have it. */
const PERIOD = 2 ** 20 * 1000;

export function linksOf(accountId: number): Sql {
  return sql`(SELECT COALESCE(SUM("links"), 0) FROM "AccountTally" WHERE "accountId" = ${accountId})`;
}

/** Those in a space, where that is the account's. */
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

/** Those that are not disabled, and ended by then: whole periods by their totals, and what ended since the last one counted. */
export function endedLinksOf(accountId: number, now: Date): Sql {
  const period = Math.floor(now.getTime() / PERIOD);
  return sql`((SELECT COALESCE(SUM("links"), 0) FROM "EndTally" WHERE "accountId" = ${accountId} AND "period" < ${period})
    + (SELECT COUNT(*) FROM "LinkCounter" WHERE "accountId" = ${accountId}
      AND "endsAt" >= ${new Date(period * PERIOD)} AND "endsAt" <= ${now}))`;
}

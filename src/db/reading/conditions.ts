import { join, name, type Sql, sql } from '../sql.ts';

export type Condition = Sql;

/** Whether the column has the value; null is not equal to null. */
export function is(column: string, value: string | number): Condition {
  return sql`${name(column)} = ${value}`;
}

export function isOneOf(column: string, values: readonly number[]): Condition {
  return sql`${name(column)} IN (${join([...values])})`;
}

export function isNoneOf(column: string, values: readonly string[]): Condition {
  return sql`${name(column)} NOT IN (${join([...values])})`;
}

export function isNull(column: string): Condition {
  return sql`${name(column)} IS NULL`;
}

export function isSince(column: string, time: Date): Condition {
  return sql`${name(column)} >= ${time}`;
}

/** Whether the account may use the domain: its own, or a shared one. */
export function isUsableBy(accountId: number): Condition {
  return sql`("accountId" = ${accountId} OR "accountId" IS NULL)`;
}

export function hasPixel(pixelId: number): Condition {
  return sql`EXISTS (SELECT 1 FROM "LinkPixel" WHERE "linkId" = "Link"."id" AND "pixelId" = ${pixelId})`;
}

/**
 * Whether visitors get the link for an alias on a host.
 * @param names the names of domains that serve the host; the host itself comes first
 */
export function isServedAt(host: string, names: readonly string[], alias: string): Condition {
  const domain = sql`(SELECT "id" FROM "Domain" WHERE "name" IN (${join([...names])})
    ORDER BY "name" = ${host} DESC LIMIT 1)`;
  return sql`"domainId" = ${domain} AND "alias" = ${alias}`;
}

import { lockName } from '../../engine/db/advisory-lock.ts';
import type { Dialect, Rows } from '../../engine/db/dialect.ts';
import { join, name, type Sql, sql } from '../../engine/db/sql.ts';
import { listSpellings } from '../../engine/tools/bidirectional.ts';
import { nameFor } from '../../engine/tools/name-for.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { columnsOf } from '../columns.ts';
import type { Data, Transaction } from '../database.ts';
import { hasShortUrl } from './link-list.ts';
import { hasBegun, hasStatus } from './link-status.ts';

/** The account, domain and URL by which equal links are found. */
export interface Destination {
  readonly accountId: number;
  readonly domainId: number;
  readonly url: string;
}

/** The condition for one URL, in the form that the index of destinations serves. */
function hasUrl(dialect: Dialect, url: string): Sql {
  return dialect.name === 'sqlite'
    ? sql`("url" || '') = ${url}`
    : sql`md5("url") = md5(${url}) AND "url" = ${url}`;
}

/** The condition on a link's destination that an index of either database serves. */
function hasDestination({ dialect }: Data, { accountId, domainId, url }: Destination): Sql {
  const is = listSpellings(url).map((one) => sql`(${hasUrl(dialect, one)})`);
  return sql`"accountId" = ${accountId} AND "domainId" = ${domainId} AND (${join(is, ' OR ')})`;
}

/** Locks the destination against equal new links until the transaction ends. */
export function lockDestination(tx: Transaction, { accountId, domainId, url }: Destination): Promise<void> {
  return lockName(tx, nameFor('destination', accountId, domainId, url));
}

/**
 * The ids of the newest links of the account with these URLs, on any domain, by the URLs.
 * @param urls each with its case-folded form
 */
export async function newestTo(
  db: Data,
  accountId: number,
  urls: Rows<string>,
): Promise<Map<string, number>> {
  if (urls.length === 0) return new Map();
  const given = db.dialect.table({ address: 'text', key: 'text' }, urls);
  const newest = sql`SELECT "id" FROM "Link" WHERE "accountId" = ${accountId} AND ${hasShortUrl(db.dialect)}
    AND "urlKey" = "key" AND "url" = "address" ORDER BY "id" DESC LIMIT 1`;
  const found = await db.read<{ address: string; id: number | null }>(
    sql`SELECT "address", (${newest}) AS "id" FROM ${given} AS "given"`,
  );
  return new Map(found.flatMap(({ address, id }) => (id === null ? [] : [[address, id]])));
}

/** Properties that links must share besides their destination. */
export interface LinkMatch {
  /** The value of each, or several that count as equal. */
  readonly columns: Readonly<Record<string, string | number | boolean | Date | string[] | null>>;
  readonly filled: readonly string[];
  /** Exactly these pixels and tags; undefined for any. */
  readonly pixelIds?: readonly number[] | undefined;
  readonly tagIds?: readonly number[] | undefined;
  readonly condition: Sql;
}

/** A condition: a link leads visitors now, and is not archived. */
export function isReusable(now: Date): Sql {
  return sql`${hasStatus('ACTIVE', now)} AND ${hasBegun(now)} AND NOT "archived"`;
}

/** The account's links with the destination and the same properties, newest first. */
export function findSameLinks(
  db: Data,
  destination: Destination,
  { columns, filled, pixelIds, tagIds, condition }: LinkMatch,
  limit: number,
): Promise<Link[]> {
  const values = Object.entries(columns).map(([column, value]) => {
    if (value === null) return sql`${name(column)} IS NULL`;
    if (Array.isArray(value)) return sql`${name(column)} IN (${join(value)})`;
    return sql`${name(column)} = ${value}`;
  });
  const conditions = [
    hasDestination(db, destination),
    condition,
    ...values,
    ...filled.map((column) => sql`${name(column)} IS NOT NULL`),
    ...(pixelIds === undefined ? [] : [hasExactly('Pixel', pixelIds)]),
    ...(tagIds === undefined ? [] : [hasExactly('Tag', tagIds)]),
  ];
  return db.read<Link>(
    sql`SELECT ${columnsOf.Link} FROM "Link" WHERE ${join(conditions, ' AND ')} ORDER BY "id" DESC LIMIT ${limit}`,
  );
}

function hasExactly(what: 'Pixel' | 'Tag', given: readonly number[]): Sql {
  const ids = [...new Set(given)];
  const ofLink = sql`(SELECT COUNT(*) FROM ${name(`Link${what}`)} WHERE "linkId" = "Link"."id"`;
  const all = sql`${ofLink}) = ${ids.length}`;
  if (ids.length === 0) return all;
  return sql`${all} AND ${ofLink} AND ${name(`${what.toLowerCase()}Id`)} IN (${join(ids)})) = ${ids.length}`;
}

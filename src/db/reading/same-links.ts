import type { Link } from '../../generated/sqlite/client.ts';
import { type Db, isSqlite } from '../connection/client.ts';
import type { Tx } from '../connection/transaction.ts';
import { columnsOf } from './columns.ts';
import { join, name, type Sql, sql } from './list.ts';

/** What identifies where links lead. */
export interface Destination {
  readonly accountId: number;
  readonly domainId: number;
  readonly url: string;
}

/** What an index has of a link's destination, on either database. */
function leadsTo(db: object, { accountId, domainId, url }: Destination): Sql {
  const same = isSqlite(db) ? sql`("url" || '') = ${url}` : sql`md5("url") = md5(${url}) AND "url" = ${url}`;
  return sql`"accountId" = ${accountId} AND "domainId" = ${domainId} AND ${same}`;
}

/** Has others wait who would make a link to the same destination, until the transaction ends. On SQLite one writes at a time. */
export async function lockDestination(tx: Tx, { accountId, domainId, url }: Destination): Promise<void> {
  if (isSqlite(tx)) return;
  const what = `${accountId} ${domainId} ${url}`;
  await tx.$queryRaw(sql`SELECT pg_advisory_xact_lock(hashtextextended(${what}, 1))::text`);
}

/** What links have to have beside their destination. */
export interface Likeness {
  /** Values by column. */
  readonly columns: Readonly<Record<string, string | number | boolean | Date | null>>;
  /** Columns that must have any value. */
  readonly filled: readonly string[];
  /** Just these pixels; any, where it is undefined. */
  readonly pixelIds?: readonly number[] | undefined;
  readonly condition: Sql;
}

/** The account's links that lead there and are alike, the newest first. */
export function findSameLinks(
  db: Db | Tx,
  destination: Destination,
  { columns, filled, pixelIds, condition }: Likeness,
  limit: number,
): Promise<Link[]> {
  const values = Object.entries(columns).map(([column, value]) =>
    value === null ? sql`${name(column)} IS NULL` : sql`${name(column)} = ${value}`,
  );
  const conditions = [
    leadsTo(db, destination),
    condition,
    ...values,
    ...filled.map((column) => sql`${name(column)} IS NOT NULL`),
    ...(pixelIds === undefined ? [] : [firesJust(pixelIds)]),
  ];
  return db.$queryRaw<Link[]>(
    sql`SELECT ${columnsOf.Link} FROM "Link" WHERE ${join(conditions, ' AND ')} ORDER BY "id" DESC LIMIT ${limit}`,
  );
}

function firesJust(pixelIds: readonly number[]): Sql {
  const ids = [...new Set(pixelIds)];
  const all = sql`(SELECT COUNT(*) FROM "LinkPixel" WHERE "linkId" = "Link"."id") = ${ids.length}`;
  if (ids.length === 0) return all;
  return sql`${all} AND (SELECT COUNT(*) FROM "LinkPixel"
    WHERE "linkId" = "Link"."id" AND "pixelId" IN (${join(ids)})) = ${ids.length}`;
}

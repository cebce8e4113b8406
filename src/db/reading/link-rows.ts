import {
  type Domain,
  type Link,
  type LinkCounter,
  type Pixel,
  Prisma,
  type Space,
} from '../../generated/sqlite/client.ts';
import type { Db } from '../connection/client.ts';
import { readRows } from '../connection/direct.ts';
import { columnsOf, nestedColumns } from './columns.ts';
import { type Joined, join, type Sql, sql } from './list.ts';

/** What is counted of a link. */
export type Counts = Pick<LinkCounter, 'clicks' | 'lastClickedAt'>;

/** A link with what it belongs to, as one statement reads it. */
export interface LinkRow extends Link, Counts {
  readonly domain: Domain;
  readonly space: Space | null;
  /** Whether it has pixels, as the database says it: those of a link without any need not be asked for. */
  readonly hasPixels: boolean | number | bigint;
}

/** Which columns of links are read, by the names that a row has them under, such as `url`, `space` or `space.name`; null for all. */
export type Wanted = ReadonlySet<string> | null;

/** Whether the column is wanted, or any of the object. */
function isWanted(wanted: Wanted, name: string): boolean {
  if (wanted === null || wanted.has(name)) return true;
  for (const one of wanted) if (one.startsWith(`${name}.`)) return true;
  return false;
}

const counted: ReadonlySet<string> = new Set(['clicks', 'lastClickedAt']);
const linkColumns = Object.values(Prisma.LinkScalarFieldEnum);

/**
 * Where links are read from. In the order of their clicks, their counters come first, whose index has that order; in any other
 * they are joined to the few links that are given, or the database may walk through all of them.
 * @param orderedBy a column that is read in any case
 * @param inSpaces conditions of "spaceId", which counters have too
 */
export function linkSource(
  accountId: number,
  wanted: Wanted,
  orderedBy: string,
  inSpaces: readonly Sql[],
): Joined {
  const isRead = (column: string) =>
    wanted === null ||
    column === 'id' ||
    column === orderedBy ||
    wanted.has(column) ||
    (column === 'domainId' && isWanted(wanted, 'domain')) ||
    (column === 'spaceId' && isWanted(wanted, 'space'));
  const names = linkColumns.filter(isRead).map((column) => `"Link"."${column}"`);
  const columns = Prisma.raw(names.join(', '));
  if (orderedBy !== 'clicks') return { columns, tables: sql`"Link"` };
  return {
    columns: sql`${columns}, "counter".*`,
    tables: sql`"Link" JOIN (
      SELECT "linkId", "clicks", "lastClickedAt" FROM "LinkCounter"
      WHERE ${join([sql`"accountId" = ${accountId}`, ...inSpaces], ' AND ')}
    ) AS "counter" ON "counter"."linkId" = "Link"."id"`,
  };
}

/** What is looked up for each link: of a join, PostgreSQL may read all counters. */
const lookups = {
  clicks: sql`(SELECT "clicks" FROM "LinkCounter" WHERE "linkId" = "page"."id") AS "clicks"`,
  lastClickedAt: sql`(SELECT "lastClickedAt" FROM "LinkCounter" WHERE "linkId" = "page"."id") AS "lastClickedAt"`,
  hasPixels: sql`EXISTS (SELECT 1 FROM "LinkPixel" WHERE "linkId" = "page"."id") AS "hasPixels"`,
};

/** What is joined to a link, by the name of the object that a row has of it. */
const joins = {
  domain: {
    alias: 'd',
    columns: Object.values(Prisma.DomainScalarFieldEnum),
    table: sql`JOIN "Domain" AS "d" ON "d"."id" = "page"."domainId"`,
  },
  space: {
    alias: 's',
    columns: Object.values(Prisma.SpaceScalarFieldEnum),
    table: sql`LEFT JOIN "Space" AS "s" ON "s"."id" = "page"."spaceId"`,
  },
};

/** What joins to links what belongs to them, where that is wanted. */
export function linkJoins(wanted: Wanted, orderedBy: string): Joined | undefined {
  // In the order of clicks, the list itself has what is counted.
  const found = Object.entries(lookups).flatMap(([name, lookup]) =>
    isWanted(wanted, name) && !(orderedBy === 'clicks' && counted.has(name)) ? lookup : [],
  );
  const joined = Object.entries(joins).filter(([name]) => isWanted(wanted, name));
  if (found.length === 0 && joined.length === 0) return undefined;
  const columns = joined.map(([of, { alias, columns }]) =>
    nestedColumns(
      alias,
      of,
      columns.filter((column) => wanted === null || wanted.has(of) || wanted.has(`${of}.${column}`)),
    ),
  );
  const tables = joined.map(([, { table }]) => table);
  return {
    columns: join([...found, ...columns]),
    tables: tables.length > 0 ? join(tables, ' ') : Prisma.empty,
  };
}

/** The pixels of each of the links, the oldest first. */
export async function readPixelsOfEach(db: Db, linkIds: readonly number[]): Promise<Pixel[][]> {
  const rows = await readRows<Pixel & { linkId: number }>(
    db,
    sql`
    SELECT "LinkPixel"."linkId", ${columnsOf.Pixel} FROM "LinkPixel" JOIN "Pixel" ON "Pixel"."id" = "LinkPixel"."pixelId"
    WHERE "LinkPixel"."linkId" IN (${join([...linkIds])}) ORDER BY "Pixel"."id"`,
  );
  const pixels = new Map(linkIds.map((id): [number, Pixel[]] => [id, []]));
  for (const row of rows) pixels.get(row.linkId)?.push(row);
  return linkIds.map((id) => pixels.get(id) ?? []);
}

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

/** The counters of a link that are shown. */
export type Counts = Pick<LinkCounter, 'clicks' | 'lastClickedAt'>;

/** A link with its domain and space, as one statement reads it. */
export interface LinkRow extends Link, Counts {
  readonly domain: Domain;
  readonly space: Space | null;
  /** Whether it has pixels, as the database returns it: without any, they need not be read. */
  readonly hasPixels: boolean | number | bigint;
}

/** The columns of links to read, by their names in a row, such as `url`, `space` or `space.name`; null for all. */
export type Wanted = ReadonlySet<string> | null;

/** Whether the column, or any column of the object, is wanted. */
function isWanted(wanted: Wanted, name: string): boolean {
  if (wanted === null || wanted.has(name)) return true;
  for (const one of wanted) if (one.startsWith(`${name}.`)) return true;
  return false;
}

const counted: ReadonlySet<string> = new Set(['clicks', 'lastClickedAt']);
const linkColumns = Object.values(Prisma.LinkScalarFieldEnum);

/**
 * The tables that links are read from. For the order by clicks, the counters come first, whose index has that order; for any other
 * order they are joined to the few links of the page, or the database might scan all counters.
 * @param orderedBy a column that is always read
 * @param inSpaces conditions on "spaceId", which counters have too
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

/** Subqueries for each link: with a join, PostgreSQL might read all counters. */
const lookups = {
  clicks: sql`(SELECT "clicks" FROM "LinkCounter" WHERE "linkId" = "page"."id") AS "clicks"`,
  lastClickedAt: sql`(SELECT "lastClickedAt" FROM "LinkCounter" WHERE "linkId" = "page"."id") AS "lastClickedAt"`,
  hasPixels: sql`EXISTS (SELECT 1 FROM "LinkPixel" WHERE "linkId" = "page"."id") AS "hasPixels"`,
};

/** Records that are joined to a link, by their names in a row. */
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

/** The joins for the wanted records of links. */
export function linkJoins(wanted: Wanted, orderedBy: string): Joined | undefined {
  // Ordered by clicks, the list itself has the counters.
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

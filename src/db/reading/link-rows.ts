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
import { columnsOf } from './columns.ts';
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

/** The columns of a link's domain and space, each under its table's name and its own. */
export interface FlatLinkRow extends Link, Counts {
  hasPixels: boolean | number | bigint;
  domain_name: string;
  domain_accountId: number | null;
  domain_hostKey: string;
  domain_isDefault: boolean | null;
  domain_notFoundUrl: string | null;
  domain_verificationToken: string | null;
  domain_verifiedAt: Date | null;
  domain_createdAt: Date;
  domain_updatedAt: Date;
  space_accountId: number | null;
  space_name: string | null;
  space_nameKey: string | null;
  space_color: number | null;
  space_createdAt: Date | null;
  space_updatedAt: Date | null;
}

/** Which columns of links are read, by the names that a row has them under; null for all. */
export type Wanted = ReadonlySet<string> | null;

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
    (column === 'domainId' && wanted.has('domain')) ||
    (column === 'spaceId' && wanted.has('space'));
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

/** What is joined to a link, by the name under which a row has it. */
const joins = {
  // Looked up for each link: of a join, PostgreSQL may read all counters.
  clicks: {
    columns: sql`(SELECT "clicks" FROM "LinkCounter" WHERE "linkId" = "page"."id") AS "clicks"`,
    tables: Prisma.empty,
  },
  lastClickedAt: {
    columns: sql`(SELECT "lastClickedAt" FROM "LinkCounter" WHERE "linkId" = "page"."id") AS "lastClickedAt"`,
    tables: Prisma.empty,
  },
  domain: {
    columns: sql`"d"."name" AS "domain_name", "d"."accountId" AS "domain_accountId",
    "d"."hostKey" AS "domain_hostKey", "d"."isDefault" AS "domain_isDefault", "d"."notFoundUrl" AS "domain_notFoundUrl",
    "d"."verificationToken" AS "domain_verificationToken", "d"."verifiedAt" AS "domain_verifiedAt",
    "d"."createdAt" AS "domain_createdAt", "d"."updatedAt" AS "domain_updatedAt"`,
    tables: sql`JOIN "Domain" AS "d" ON "d"."id" = "page"."domainId"`,
  },
  space: {
    columns: sql`"s"."accountId" AS "space_accountId", "s"."name" AS "space_name", "s"."nameKey" AS "space_nameKey",
    "s"."color" AS "space_color", "s"."createdAt" AS "space_createdAt", "s"."updatedAt" AS "space_updatedAt"`,
    tables: sql`LEFT JOIN "Space" AS "s" ON "s"."id" = "page"."spaceId"`,
  },
  hasPixels: {
    columns: sql`EXISTS (SELECT 1 FROM "LinkPixel" WHERE "linkId" = "page"."id") AS "hasPixels"`,
    tables: Prisma.empty,
  },
} satisfies Record<string, Joined>;

/** What joins to links what belongs to them, where that is wanted. */
export function linkJoins(wanted: Wanted, orderedBy: string): Joined | undefined {
  // In the order of clicks, the list itself has what is counted.
  const isWanted = (name: string) =>
    (wanted === null || wanted.has(name)) && (orderedBy !== 'clicks' || !counted.has(name));
  const chosen = Object.entries(joins).flatMap(([name, one]) => (isWanted(name) ? one : []));
  if (chosen.length === 0) return undefined;
  return {
    columns: join(chosen.map(({ columns }) => columns)),
    tables: join(
      chosen.map(({ tables }) => tables),
      ' ',
    ),
  };
}

/** The link, its domain and its space, out of one row, which becomes the link: to copy so many columns costs more. */
export function nest(row: FlatLinkRow): LinkRow {
  const { spaceId } = row;
  // What was not wanted is not there.
  const domain =
    row.domain_name === undefined
      ? undefined
      : {
          id: row.domainId,
          accountId: row.domain_accountId,
          name: row.domain_name,
          hostKey: row.domain_hostKey,
          isDefault: row.domain_isDefault,
          notFoundUrl: row.domain_notFoundUrl,
          verificationToken: row.domain_verificationToken,
          verifiedAt: row.domain_verifiedAt,
          createdAt: row.domain_createdAt,
          updatedAt: row.domain_updatedAt,
        };
  return Object.assign(row, {
    domain: domain as Domain, // Only what declares that it reads it does.
    // A row that has the id of a space has all of it, since the space cannot go without the id.
    space:
      spaceId == null || row.space_name === undefined
        ? null
        : ({
            id: spaceId,
            accountId: row.space_accountId,
            name: row.space_name,
            nameKey: row.space_nameKey,
            color: row.space_color,
            createdAt: row.space_createdAt,
            updatedAt: row.space_updatedAt,
          } as Space),
  });
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

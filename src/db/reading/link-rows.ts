import {
  type Domain,
  type Link,
  type LinkCounter,
  type Pixel,
  Prisma,
  type Space,
} from '../../generated/sqlite/client.ts';
import { empty, join, raw, type Sql, sql } from '../connection/sql.ts';
import { nestedColumns } from './columns.ts';
import type { Joined } from './list.ts';

/** The counters of a link that are shown. */
export type Counts = Pick<LinkCounter, 'clicks' | 'lastClickedAt'>;

/** A link with its domain and space, as one statement reads it. */
export interface LinkRow extends Link, Counts {
  readonly domain: Domain;
  readonly space: Space | null;
  /** Its pixels, for `pixelsIn`. */
  readonly pixels: string | null;
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
  const columns = raw(names.join(', '));
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
};

/** The columns of an object that are wanted. */
function wantedOf(wanted: Wanted, of: string, columns: readonly string[]): readonly string[] {
  if (wanted === null || wanted.has(of)) return columns;
  return columns.filter((column) => wanted.has(`${of}.${column}`));
}

const pixelColumns = Object.values(Prisma.PixelScalarFieldEnum);

const ofLink = sql`"LinkPixel" JOIN "Pixel" AS "p" ON "p"."id" = "LinkPixel"."pixelId" WHERE "LinkPixel"."linkId" = "page"."id"`;

/** A subquery for the pixels of each link, the oldest first, as JSON: a second statement would take as long as the first. */
function pixelLookup(wanted: Wanted, onSqlite: boolean, from: Sql): Sql {
  const pairs = wantedOf(wanted, 'pixels', pixelColumns).map((column) => `'${column}', "p"."${column}"`);
  const [all, each] = onSqlite ? ['json_group_array', 'json_object'] : ['json_agg', 'json_build_object'];
  return sql`(SELECT CAST(${raw(`${all}(${each}(${pairs.join(', ')}) ORDER BY "p"."id")`)} AS TEXT)
    FROM ${from}) AS "pixels"`;
}

/** A time in JSON: PostgreSQL's have no zone. */
function momentIn(text: string): Date {
  return new Date(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
}

interface PixelInJson extends Omit<Pixel, 'createdAt' | 'updatedAt'> {
  readonly createdAt?: string;
  readonly updatedAt?: string;
}

/** The pixels of a link's row, with the columns that were wanted. */
export function pixelsIn({ pixels }: Pick<LinkRow, 'pixels'>): Pixel[] {
  const found: PixelInJson[] = JSON.parse(pixels ?? '[]');
  return found.map(({ createdAt, updatedAt, ...others }) => {
    const times = {
      ...(createdAt && { createdAt: momentIn(createdAt) }),
      ...(updatedAt && { updatedAt: momentIn(updatedAt) }),
    };
    return { ...others, ...times } as Pixel; // What the query selects was wanted.
  });
}

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

function joinsOf(
  wanted: Wanted,
  orderedBy: string,
  onSqlite: boolean,
  pixelsFrom: Sql = ofLink,
): Joined | null {
  // Ordered by clicks, the list itself has the counters.
  const found = Object.entries(lookups).flatMap(([name, lookup]) =>
    isWanted(wanted, name) && !(orderedBy === 'clicks' && counted.has(name)) ? lookup : [],
  );
  if (isWanted(wanted, 'pixels')) found.push(pixelLookup(wanted, onSqlite, pixelsFrom));
  const joined = Object.entries(joins).filter(([name]) => isWanted(wanted, name));
  if (found.length === 0 && joined.length === 0) return null;
  const columns = joined.map(([of, { alias, columns }]) =>
    nestedColumns(alias, of, wantedOf(wanted, of, columns)),
  );
  const tables = joined.map(([, { table }]) => table);
  return {
    columns: join([...found, ...columns]),
    tables: tables.length > 0 ? join(tables, ' ') : empty,
  };
}

const ALL = {};
const known = new WeakMap<object, Map<string, Joined | null>>();

/** The joins for the wanted records of links. They are cached, like the columns that a document wants. */
export function linkJoins(wanted: Wanted, orderedBy: string, onSqlite: boolean): Joined | null {
  let ofWanted = known.get(wanted ?? ALL);
  if (ofWanted === undefined) {
    ofWanted = new Map();
    known.set(wanted ?? ALL, ofWanted);
  }
  const key = `${orderedBy} ${onSqlite}`;
  let joined = ofWanted.get(key);
  if (joined === undefined) {
    joined = joinsOf(wanted, orderedBy, onSqlite);
    ofWanted.set(key, joined);
  }
  return joined;
}

/**
 * The joins for everything that is shown of a link.
 * @param pixelIds the link's pixels, if the statement that reads them is writing them, and does not see them yet
 */
export function wholeLink(onSqlite: boolean, pixelIds?: readonly number[]): Joined {
  const among = pixelIds && (pixelIds.length > 0 ? sql`"p"."id" IN (${join([...pixelIds])})` : sql`1 = 0`);
  const joined = among
    ? joinsOf(null, 'id', onSqlite, sql`"Pixel" AS "p" WHERE ${among}`)
    : linkJoins(null, 'id', onSqlite);
  return joined as Joined; // Everything is wanted.
}

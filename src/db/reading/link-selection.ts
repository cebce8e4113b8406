import { Prisma } from '../../generated/sqlite/client.ts';
import type { Dialect } from '../dialect.ts';
import { empty, join, raw, type Sql, sql } from '../sql.ts';
import { nestedColumns } from './columns.ts';
import type { Joined } from './keyset.ts';

/** What is read of each link: a `select` of Prisma, such as Pothos' plan of an operation. */
export type LinkSelect = Readonly<Record<string, unknown>>;

const linkColumns = Object.values(Prisma.LinkScalarFieldEnum);

/** The columns that the selection has of a to-one relation: all of them, or those that it names. */
function columnsBelow(select: LinkSelect, relation: string, columns: readonly string[]): readonly string[] {
  const below = select[relation];
  const named = typeof below === 'object' && below !== null && 'select' in below ? below.select : undefined;
  if (typeof named !== 'object' || named === null) return below ? columns : [];
  return columns.filter((column) => column in named);
}

/**
 * The tables that links are read from. For the order by clicks, the counters come first, whose index has that order; for
 * any other order they are joined to the few links of the page, or the database might scan all counters.
 * @param orderedBy a column that is always read
 * @param inSpaces conditions on "spaceId", which counters have too
 */
export function linkSource(
  accountId: number,
  select: LinkSelect,
  orderedBy: string,
  inSpaces: readonly Sql[],
): Joined {
  const isRead = (column: string) =>
    column === 'id' ||
    column === orderedBy ||
    select[column] === true ||
    (column === 'domainId' && select.domain) ||
    (column === 'spaceId' && select.space);
  const columns = raw(
    linkColumns
      .filter(isRead)
      .map((column) => `"Link"."${column}"`)
      .join(', '),
  );
  if (orderedBy !== 'clicks') return { columns, tables: sql`"Link"` };
  return {
    columns: sql`${columns}, "counter".*`,
    tables: sql`"Link" JOIN (
      SELECT "linkId", "clicks", "linkId" AS "counter.id", "clicks" AS "counter.clicks",
        "lastClickedAt" AS "counter.lastClickedAt" FROM "LinkCounter"
      WHERE ${join([sql`"accountId" = ${accountId}`, ...inSpaces], ' AND ')}
    ) AS "counter" ON "counter"."linkId" = "Link"."id"`,
  };
}

/** Subqueries for each link: with a join, PostgreSQL might read all counters. */
const lookups = {
  clicks: sql`(SELECT "clicks" FROM "LinkCounter" WHERE "linkId" = "page"."id") AS "counter.clicks"`,
  lastClickedAt: sql`(SELECT "lastClickedAt" FROM "LinkCounter" WHERE "linkId" = "page"."id")
    AS "counter.lastClickedAt"`,
};

function counterLookups(select: LinkSelect): Sql[] {
  const wanted = columnsBelow(select, 'counter', Object.keys(lookups)) as (keyof typeof lookups)[];
  return wanted.map((column) => lookups[column]);
}

const pixelPairs = Object.values(Prisma.PixelScalarFieldEnum).map((column) => `'${column}', "p"."${column}"`);

/** A subquery for the pixels of each link, oldest first, as JSON: a second statement would take as long as the first. */
function pixelLookup({ json }: Dialect): Sql {
  const pixel = `${json.object}('pixel', ${json.object}(${pixelPairs.join(', ')}))`;
  return sql`(SELECT CAST(${raw(`${json.list}(${pixel} ORDER BY "p"."id")`)} AS TEXT)
    FROM "LinkPixel" JOIN "Pixel" AS "p" ON "p"."id" = "LinkPixel"."pixelId"
    WHERE "LinkPixel"."linkId" = "page"."id") AS "pixels[]"`;
}

/** Records that are joined to a link, by the names of the relations. */
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

function joinsOf(select: LinkSelect, orderedBy: string, dialect: Dialect): Joined | null {
  // Ordered by clicks, the list itself has the counters.
  const found = orderedBy === 'clicks' ? [] : counterLookups(select);
  if (select.pixels) found.push(pixelLookup(dialect));
  const joined = Object.entries(joins).filter(([name]) => select[name]);
  if (found.length === 0 && joined.length === 0) return null;
  const columns = joined.map(([name, { alias, columns }]) =>
    nestedColumns(alias, name, columnsBelow(select, name, columns)),
  );
  const tables = joined.map(([, { table }]) => table);
  return {
    columns: join([...found, ...columns]),
    tables: tables.length > 0 ? join(tables, ' ') : empty,
  };
}

const known = new WeakMap<LinkSelect, Map<string, Joined | null>>();

/** The joins for the selected relations of links. They are cached, as plans of documents are. */
export function linkJoins(select: LinkSelect, orderedBy: string, dialect: Dialect): Joined | null {
  const ofSelect = known.get(select) ?? new Map<string, Joined | null>();
  known.set(select, ofSelect);
  const key = `${orderedBy} ${dialect.name}`;
  const before = ofSelect.get(key);
  if (before !== undefined) return before;
  const joined = joinsOf(select, orderedBy, dialect);
  ofSelect.set(key, joined);
  return joined;
}

import type { Dialect } from '../../engine/db/dialect.ts';
import { columnsIn, empty, join, raw, type Sql, sql } from '../../engine/db/sql.ts';
import {
  type Column,
  countSql,
  type Joined,
  type List,
  nestedColumns,
} from '../../engine/lists/list-statements.ts';
import { keysOf } from '../../engine/tools/keys-of.ts';
import { Prisma } from '../../generated/sqlite/client.ts';
import type { Status } from './link-status.ts';

/** Longer ones do not fit into an index of PostgreSQL; the condition of the index has the same words. */
export function hasShortUrl({ bytesOf }: Dialect): Sql {
  return sql`${bytesOf(raw('"urlKey"'))} <= 2500`;
}

/** The columns to read of each link: a `select` of Prisma, such as Pothos' plan of an operation. */
export type LinkSelect = Readonly<Record<string, unknown>>;

const linkColumns = Object.values(Prisma.LinkScalarFieldEnum);

/** The columns that the selection has of a to-one relation: all of them, or those that it names. */
function columnsBelow(select: LinkSelect, relation: string, columns: readonly string[]): readonly string[] {
  const below = select[relation];
  const named = typeof below === 'object' && below !== null && 'select' in below ? below.select : undefined;
  if (typeof named !== 'object' || named === null) return below ? columns : [];
  return columns.filter((column) => column in named);
}

/** @param orderedBy a column that is always read */
function columnsRead(select: LinkSelect, orderedBy: string): Sql {
  const isRead = (column: string) =>
    column === 'id' ||
    column === orderedBy ||
    select[column] === true ||
    (column === 'domainId' && select.domain) ||
    (column === 'spaceId' && select.space);
  return columnsIn('Link', linkColumns.filter(isRead));
}

/** The tags of which links must have any, all and none. Only the account's own count. */
export interface TagCondition {
  readonly any: readonly number[];
  readonly all: readonly number[];
  readonly none: readonly number[];
}

const noTags: TagCondition = { any: [], all: [], none: [] };

/** Only for one tag, its index has the links in order. */
function isTag(accountId: number, ids: readonly number[]): Sql {
  const operator = ids.length === 1 ? sql`=` : sql`IN`;
  return sql`"tagId" ${operator} (SELECT "id" FROM "Tag" WHERE "accountId" = ${accountId} AND "id" IN (${join([...ids])}))`;
}

/** The conditions on the links that a statement calls `link`. */
function tagConditions(accountId: number, { any, all, none }: TagCondition, link: Sql): Sql[] {
  const has = (ids: readonly number[]) =>
    sql`EXISTS (SELECT 1 FROM "LinkTag" AS "t" WHERE "t"."linkId" = ${link} AND "t".${isTag(accountId, ids)})`;
  return [
    ...all.map((id) => has([id])),
    ...(any.length > 0 ? [has(any)] : []),
    ...(none.length > 0 ? [sql`NOT ${has(none)}`] : []),
  ];
}

/** The number of an account's links with such tags, by the index of a tag's links. */
export function linksTagged(accountId: number, tags: TagCondition): Sql {
  const {
    any,
    all: [first, ...all],
    none,
  } = tags;
  if (first === undefined && any.length === 0)
    return sql`(${linksSql(accountId)} - ${linksTagged(accountId, { ...noTags, any: none })})`;
  const others = first === undefined ? { ...noTags, none } : { any, all, none };
  const where = [
    isTag(accountId, first === undefined ? any : [first]),
    ...tagConditions(accountId, others, sql`"LinkTag"."linkId"`),
  ];
  const number = first === undefined ? sql`DISTINCT "linkId"` : sql`*`;
  return sql`(SELECT COUNT(${number}) FROM "LinkTag" WHERE ${join(where, ' AND ')})`;
}

/**
 * The tables that links are read from. For the order by clicks, the counters come first, whose index has that order; for
 * any other order they are joined to the few links of the page, or the database might scan all counters. By creation, the
 * links of a tag come from its index.
 * @param inSpaces conditions on "spaceId", which counters have too
 */
function makeSource(
  accountId: number,
  columns: Sql,
  orderedBy: string,
  inSpaces: readonly Sql[],
  tagged: boolean,
): Joined {
  if (tagged) return { columns: sql`${columns}, "LinkTag"."linkId"`, tables: ofTag };
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

/** CROSS JOIN makes SQLite read the tables in this order. */
const ofTag = sql`"LinkTag" CROSS JOIN "Link"`;

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

/** The records of which a link may have many, with their columns and their order. */
const lists = {
  pixels: { of: 'pixel', table: 'Pixel', columns: Prisma.PixelScalarFieldEnum, order: '"p"."id"' },
  tags: { of: 'tag', table: 'Tag', columns: Prisma.TagScalarFieldEnum, order: '"p"."nameKey", "p"."id"' },
};

/** A subquery for the pixels or tags of each link, as JSON: a second statement would take as long as the first. */
function listLookup(list: keyof typeof lists, { json }: Dialect): Sql {
  const { of, table, columns, order } = lists[list];
  const pairs = Object.values(columns).map((column) => `'${column}', "p"."${column}"`);
  const record = `${json.object}('${of}', ${json.object}(${pairs.join(', ')}))`;
  return raw(`(SELECT CAST(${json.list}(${record} ORDER BY ${order}) AS TEXT)
    FROM "Link${table}" JOIN "${table}" AS "p" ON "p"."id" = "Link${table}"."${of}Id"
    WHERE "Link${table}"."linkId" = "page"."id") AS "${list}[]"`);
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

function makeJoins(select: LinkSelect, orderedBy: string, dialect: Dialect): Joined | null {
  // Ordered by clicks, the list itself has the counters.
  const found = orderedBy === 'clicks' ? [] : counterLookups(select);
  for (const list of keysOf(lists)) if (select[list]) found.push(listLookup(list, dialect));
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

/** The parts that lists with one selection and order share. */
interface LinkPlan {
  readonly columns: Sql;
  readonly joined: Joined | null;
  /** Equal for equal columns. */
  readonly key: string;
}

/** Kept as long as the plans of documents. */
const plans = new WeakMap<LinkSelect, Map<string, LinkPlan>>();

function makePlan(select: LinkSelect, orderedBy: string, dialect: Dialect): LinkPlan {
  const known = plans.get(select) ?? new Map<string, LinkPlan>();
  plans.set(select, known);
  const name = `${orderedBy} ${dialect.name}`;
  const plan = known.get(name) ?? {
    columns: columnsRead(select, orderedBy),
    joined: makeJoins(select, orderedBy, dialect),
    key: `${orderedBy} ${JSON.stringify(select)}`,
  };
  known.set(name, plan);
  return plan;
}

interface LinkColumn extends Column {
  /** True if there is also an index for the links of one space. All orders have one for an account's links. */
  readonly bySpace?: boolean;
}

/** Orders of links, with their columns. */
const orders = {
  ID: { name: 'id', type: 'number', bySpace: true },
  CLICKS: { name: 'clicks', type: 'number', large: true, tieBreaker: 'linkId', bySpace: true },
  TITLE: { name: 'titleKey', type: 'text', nullable: true },
  ALIAS: { name: 'aliasKey', type: 'text' },
  URL: { name: 'urlKey', type: 'text' },
  UPDATED_AT: { name: 'updatedAt', type: 'timestamp' },
} satisfies Record<string, LinkColumn>;

export type LinkOrder = keyof typeof orders;

/** The column of an order. URLs have two indexes: an index entry of PostgreSQL has at most about 2,700 bytes. */
function orderColumn(order: LinkOrder, dialect: Dialect): LinkColumn {
  const column = orders[order];
  if (order !== 'URL') return column;
  const long = sql`${dialect.bytesOf(raw('"urlKey"'))} > 2500`;
  return {
    ...column,
    parts: [{ where: hasShortUrl(dialect) }, { where: long, prefix: sql`substr("urlKey", 1, 600)` }],
  };
}

/** The archived links in a list: none, only these, or all: `archivedFilters` in src/domain/link/find-links.ts. */
export type Archived = 'WITHOUT' | 'ONLY' | 'WITH';

/** Which links of an account a list has, and in which order: by default the newest first. */
export interface LinkSelection {
  readonly accountId: number;
  readonly where: readonly Sql[];
  /** Conditions on "spaceId". */
  readonly inSpaces?: readonly Sql[];
  readonly tags?: TagCondition | undefined;
  /** By default, the list has archived links and all others. */
  readonly archived?: Archived;
  /** True if an index finds the few links that can meet `where`. */
  readonly isSelective?: boolean;
  readonly orderBy?: LinkOrder;
  readonly descending?: boolean;
}

/** Most links are not archived, so a list leaves out the others as it reads. */
const archivedConditions: Record<Archived, readonly Sql[]> = {
  WITHOUT: [sql`NOT "archived"`],
  ONLY: [sql`"archived"`],
  WITH: [],
};

/** The list of these links with what is selected of each, and an expression for their number, counted up to `most`. */
export function linkList(selection: LinkSelection, select: LinkSelect, dialect: Dialect) {
  const { accountId, inSpaces = [], tags = noTags, archived = 'WITH', isSelective = false } = selection;
  const { orderBy = 'ID', descending = true } = selection;
  // Of one tag that all links have, the index has them in the order of their creation.
  const [first, ...all] = isSelective ? [] : tags.all;
  const isByTag = first !== undefined && orderBy === 'ID';
  const ofTags = (some: TagCondition) => tagConditions(accountId, some, sql`"Link"."id"`);
  const others = [...selection.where, ...ofTags(isByTag ? { ...tags, all } : tags)];
  const leading = isByTag ? [sql`"Link"."id" = "linkId" AND ${isTag(accountId, [first])}`] : [];
  const column: LinkColumn = isByTag ? { ...orders.ID, tieBreaker: 'linkId' } : orderColumn(orderBy, dialect);
  // With a plus, no index of accounts is used: to count a few links, SQLite would read all that an account has in one.
  const ofAccount = [
    ...leading,
    isSelective ? sql`+"accountId" = ${accountId}` : sql`"accountId" = ${accountId}`,
    ...others,
    ...archivedConditions[archived],
  ];
  const { joined, key, columns } = makePlan(select, column.name, dialect);
  const list: List = {
    table: 'Link',
    source: makeSource(accountId, columns, column.name, inSpaces, isByTag),
    ...(joined && { joined }),
    columnsKey: isByTag ? `${key} by tag` : key,
    // Ordered by clicks, the counters have this condition. If it were repeated, PostgreSQL would expect far fewer links than
    // there are.
    where: orderBy === 'CLICKS' ? ofAccount : [...ofAccount, ...inSpaces],
    orderBy: column,
    descending,
    needsScan:
      !isSelective &&
      (others.length > 0 ||
        archived === 'ONLY' ||
        (inSpaces.length > 0 && (isByTag || column.bySpace !== true))),
  };
  const counted = isByTag ? ofTag : undefined;
  const count = (most?: number) => countSql({ ...list, where: [...ofAccount, ...inSpaces] }, most, counted);
  return { list, count };
}

/** The number of the account's archived links that meet the conditions, by the index of those that are archived. */
export function archivedLinks(accountId: number, where: readonly Sql[], tags: TagCondition = noTags): Sql {
  const all = [
    sql`"accountId" = ${accountId}`,
    ...archivedConditions.ONLY,
    ...where,
    ...tagConditions(accountId, tags, sql`"Link"."id"`),
  ];
  return sql`(SELECT COUNT(*) FROM "Link" WHERE ${join(all, ' AND ')})`;
}

/** A number less another one: a total without what is counted apart. */
export function difference(total: Sql, left: Sql): Sql {
  return sql`(${total} - ${left})`;
}

const tallies = {
  WITH: sql`"links"`,
  WITHOUT: sql`"links" - "archived"`,
  ONLY: sql`"archived"`,
} satisfies Record<Archived, Sql>;

/** The number of an account's links: a sum of stored totals, since every page of the list needs it. */
export function linksSql(accountId: number, archived: Archived = 'WITH'): Sql {
  return sql`(SELECT COALESCE(SUM(${tallies[archived]}), 0) FROM "AccountTally" WHERE "accountId" = ${accountId})`;
}

/** The number of an account's links with the status, by indexes of those that are disabled or can expire. */
export function linksOfStatus(accountId: number, status: Status, now: Date): Sql {
  const disabled = sql`(SELECT COUNT(*) FROM "Link" WHERE "accountId" = ${accountId} AND "disabled")`;
  const expired = sql`(SELECT COUNT(*) FROM "LinkCounter" WHERE "accountId" = ${accountId} AND "endsAt" <= ${now})`;
  const numbers: Record<Status, Sql> = {
    ACTIVE: sql`(${linksSql(accountId)} - ${disabled} - ${expired})`,
    EXPIRED: expired,
    DISABLED: disabled,
  };
  return numbers[status];
}

export function hasPixel(pixelId: number): Sql {
  return sql`EXISTS (SELECT 1 FROM "LinkPixel" WHERE "linkId" = "Link"."id" AND "pixelId" = ${pixelId})`;
}

/** An alias that a path may mean; a beginning of it counts only if the domain forwards paths. */
export interface AskedAlias {
  readonly alias: string;
  readonly isBeginning: boolean;
}

/**
 * A condition: visitors get the link for the first of these aliases on a host.
 * @param names the names of domains that serve the host; the host itself comes first
 */
export function isServedAt(host: string, names: readonly string[], asked: readonly AskedAlias[]): Sql {
  const domain = sql`(SELECT "id" FROM "Domain" WHERE "name" IN (${join([...names])})
    ORDER BY "name" = ${host} DESC LIMIT 1)`;
  const [only, ...others] = asked;
  if (only && others.length === 0 && !only.isBeginning)
    return sql`"domainId" = ${domain} AND "alias" = ${only.alias}`;
  const places = asked.map(({ alias }, place) => sql`WHEN ${alias} THEN ${raw(String(place))}`);
  const isOne = (some: readonly AskedAlias[]) =>
    some.length === 0 ? sql`1 = 0` : sql`"named"."alias" IN (${join(some.map(({ alias }) => alias))})`;
  const whole = isOne(asked.filter(({ isBeginning }) => !isBeginning));
  const beginning = isOne(asked.filter(({ isBeginning }) => isBeginning));
  return sql`"id" = (SELECT "named"."id" FROM "Domain" AS "on" JOIN "Link" AS "named" ON "named"."domainId" = "on"."id"
    WHERE "on"."id" = ${domain} AND (${whole} OR ("on"."forwardsPath" AND ${beginning}))
    ORDER BY CASE "named"."alias" ${join(places, ' ')} END LIMIT 1)`;
}

/** A condition: the link is the account's one with the external id. Ordered by id, PostgreSQL might look through all links for it. */
export function hasExternalId(accountId: number, externalId: string): Sql {
  return sql`"id" = (SELECT "id" FROM "Link" WHERE "accountId" = ${accountId} AND "externalId" = ${externalId})`;
}

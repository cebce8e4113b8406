import { join, type Sql, sql } from '../../engine/db/sql.ts';
import type { Data } from '../database.ts';

/** References of links to other records; ids may be unknown. */
export interface References {
  readonly accountId: number;
  readonly domainIds: readonly number[];
  readonly spaceIds: readonly number[];
  readonly pixelIds: readonly number[];
  readonly tagIds: readonly number[];
  readonly utmTemplateIds: readonly number[];
  readonly hosts: readonly string[];
  readonly aliases: readonly string[];
  /** New aliases on their domains; only their places among those of other accounts matter. */
  readonly places: readonly NewPlace[];
  /** Case-folded aliases of the account's links. */
  readonly aliasKeys: readonly string[];
  /** External ids of the account's links. */
  readonly externalIds: readonly string[];
}

/** A link that has one of the aliases, or one that differs only in case. */
export interface AliasHolder {
  readonly id: number;
  readonly domainId: number;
  readonly alias: string;
  readonly url: string;
  readonly accountId: number;
}

/** An alias on a domain. */
export interface AliasPlace {
  readonly domainId: number;
  readonly alias: string;
}

/** A new alias on a domain, with the aliases above it. */
export interface NewPlace extends AliasPlace {
  readonly above: readonly string[];
}

/** A text that is equal for equal places; no alias has a space. */
export function placeKey({ domainId, alias }: AliasPlace): string {
  return `${domainId} ${alias}`;
}

export interface FoundReferences {
  /** Domains that several accounts use. */
  readonly sharedDomainIds: ReadonlySet<number>;
  /** The keys of places above or below the alias of another account, on a domain that several accounts use. */
  readonly nearOthers: ReadonlySet<string>;
  /** Domains that the account may use: its own, and shared ones. Those of others are not revealed. */
  readonly domainIds: ReadonlySet<number>;
  readonly spaceIds: ReadonlySet<number>;
  readonly pixelIds: ReadonlySet<number>;
  readonly tagIds: ReadonlySet<number>;
  readonly utmTemplateIds: ReadonlySet<number>;
  /** Hosts that are short domains of the service that the account may use. */
  readonly hosts: ReadonlySet<string>;
  readonly aliasHolders: readonly AliasHolder[];
  /** The ids of links by their external ids. */
  readonly externalIds: ReadonlyMap<string, number>;
}

interface Row extends AliasHolder {
  readonly kind:
    | 'domain'
    | 'space'
    | 'pixel'
    | 'tag'
    | 'utm'
    | 'host'
    | 'alias'
    | 'external'
    | 'shared'
    | 'near';
}

/** Places above or below an alias of another account on a shared domain. After a slash comes 0, so all below lies between them. */
function selectNear({ dialect }: Data, accountId: number, places: readonly NewPlace[]): Sql {
  const below = dialect.table(
    { domainId: 'integer', alias: 'text', first: 'text', end: 'text' },
    places.map(({ domainId, alias }) => [domainId, alias, `${alias}/`, `${alias}0`]),
  );
  const above = dialect.table(
    { domainId: 'integer', alias: 'text', above: 'text' },
    places.flatMap(({ domainId, alias, above }) => above.map((one) => [domainId, alias, one])),
  );
  const near = (asked: Sql, isNear: Sql) => sql`
    SELECT "asked"."domainId", "asked"."alias" FROM ${asked} AS "asked"
      JOIN "Domain" ON "Domain"."id" = "asked"."domainId" AND "Domain"."accountId" IS NULL
    WHERE EXISTS (SELECT 1 FROM "Link" AS "near" WHERE "near"."domainId" = "asked"."domainId"
      AND "near"."accountId" <> ${accountId} AND ${isNear})`;
  const isBelow = sql`"near"."alias" > "asked"."first" AND "near"."alias" < "asked"."end"`;
  const all = [
    near(below, isBelow),
    ...(places.some((place) => place.above.length > 0)
      ? [near(above, sql`"near"."alias" = "asked"."above"`)]
      : []),
  ];
  return sql`SELECT 'near' AS "kind", 0 AS "id", "domainId", "alias", '' AS "url", 0 AS "accountId"
    FROM (${join(all, ' UNION ALL ')}) AS "near"`;
}

/** The keys of those places that are above or below the alias of another account, on a domain that several accounts use. */
export async function findNear(
  db: Data,
  accountId: number,
  places: readonly NewPlace[],
): Promise<ReadonlySet<string>> {
  return new Set((await db.read<Row>(selectNear(db, accountId, places))).map(placeKey));
}

/** A condition: the account may use the domain, which is its own or a shared one. */
export function isUsableBy(accountId: number): Sql {
  return sql`("accountId" = ${accountId} OR "accountId" IS NULL)`;
}

/** Looks up all references in one statement; in none, if there are none. Each list is one parameter, however long it is. */
export async function findReferences(db: Data, references: References): Promise<FoundReferences> {
  const { accountId, domainIds, spaceIds, pixelIds, tagIds, utmTemplateIds, hosts } = references;
  const { aliases, places, aliasKeys, externalIds } = references;
  const { isIn } = db.dialect;
  const own = sql`"accountId" = ${accountId}`;
  const onDomain = isIn(sql`"domainId"`, 'integer', domainIds);
  const record = (kind: Row['kind'], name: Sql) =>
    sql`SELECT ${kind} AS "kind", "id", 0 AS "domainId", ${name} AS "alias", '' AS "url", 0 AS "accountId"`;
  const link = sql`SELECT 'alias' AS "kind", "id", "domainId", "alias", "url", "accountId" FROM "Link"`;
  const parts: [asked: readonly unknown[], Sql][] = [
    [
      domainIds,
      sql`${record('domain', sql`''`)} FROM "Domain"
        WHERE ${isIn(sql`"id"`, 'integer', domainIds)} AND ${isUsableBy(accountId)}`,
    ],
    [
      hosts,
      sql`${record('host', sql`"name"`)} FROM "Domain"
        WHERE ${isIn(sql`"name"`, 'text', hosts)} AND ${isUsableBy(accountId)}`,
    ],
    [
      spaceIds,
      sql`${record('space', sql`''`)} FROM "Space" WHERE ${isIn(sql`"id"`, 'integer', spaceIds)} AND ${own}`,
    ],
    [
      pixelIds,
      sql`${record('pixel', sql`''`)} FROM "Pixel" WHERE ${isIn(sql`"id"`, 'integer', pixelIds)} AND ${own}`,
    ],
    [
      tagIds,
      sql`${record('tag', sql`''`)} FROM "Tag" WHERE ${isIn(sql`"id"`, 'integer', tagIds)} AND ${own}`,
    ],
    [
      utmTemplateIds,
      sql`${record('utm', sql`''`)} FROM "UtmTemplate" WHERE ${isIn(sql`"id"`, 'integer', utmTemplateIds)} AND ${own}`,
    ],
    [
      places,
      sql`${record('shared', sql`''`)} FROM "Domain"
        WHERE ${isIn(sql`"id"`, 'integer', [...new Set(places.map(({ domainId }) => domainId))])} AND "accountId" IS NULL
          AND EXISTS (SELECT 1 FROM "Account" WHERE "Account"."id" <> ${accountId})`,
    ],
    [places, selectNear(db, accountId, places)],
    [aliases, sql`${link} WHERE ${onDomain} AND ${isIn(sql`"alias"`, 'text', aliases)}`],
    [aliasKeys, sql`${link} WHERE ${own} AND ${isIn(sql`"aliasKey"`, 'text', aliasKeys)}`],
    [
      externalIds,
      sql`${record('external', sql`"externalId"`)} FROM "Link"
        WHERE ${own} AND ${isIn(sql`"externalId"`, 'text', externalIds)}`,
    ],
  ];
  const asked = parts.flatMap(([values, part]) => (values.length > 0 ? part : []));
  const rows = asked.length > 0 ? await db.read<Row>(join(asked, ' UNION ALL ')) : [];
  const of = (kind: Row['kind']) => rows.filter((row) => row.kind === kind);
  const listIds = (kind: Row['kind']) => new Set(of(kind).map(({ id }) => id));
  return {
    sharedDomainIds: listIds('shared'),
    nearOthers: new Set(of('near').map(placeKey)),
    domainIds: listIds('domain'),
    spaceIds: listIds('space'),
    pixelIds: listIds('pixel'),
    tagIds: listIds('tag'),
    utmTemplateIds: listIds('utm'),
    hosts: new Set(of('host').map(({ alias }) => alias)),
    aliasHolders: of('alias'),
    externalIds: new Map(of('external').map(({ alias, id }) => [alias, id])),
  };
}

import type { Db } from '../connection/db.ts';
import { dialectOf } from '../connection/dialect.ts';
import type { Cell } from '../connection/dialect-types.ts';
import { readRows } from '../connection/direct.ts';
import { empty, join, type Sql, sql } from '../connection/sql.ts';

/** References of a link to look up; ids may be unknown. */
export interface References {
  readonly accountId: number;
  readonly domainId: number;
  readonly spaceId: number | null;
  readonly pixelIds: readonly number[];
  readonly hosts: readonly string[];
  /** An alias that no other link than `linkId` may have. */
  readonly alias: string | null;
  readonly linkId: number | null;
}

export interface FoundReferences {
  /** Whether the account may use the domain: its own, or a shared one. Looked up for a new link only. */
  domain: boolean;
  /** Whether the space is the account's. */
  space: boolean;
  /** Which of the pixels are the account's. */
  pixelIds: ReadonlySet<number>;
  /** Which of the hosts are short domains of the service that the account may use. */
  hosts: ReadonlySet<string>;
  /** Whether another link has the alias on the domain. */
  alias: boolean;
}

/** Looks all references up in one statement; in none, if there are none. */
export async function findReferences(db: Db, references: References): Promise<FoundReferences> {
  const { accountId, domainId, spaceId, pixelIds, hosts, alias, linkId } = references;
  // Domains of other accounts are not revealed.
  const isUsable = sql`("Domain"."accountId" = ${accountId} OR "Domain"."accountId" IS NULL)`;
  const parts: Sql[] = [];
  // The domain of a link never changes.
  if (linkId === null)
    parts.push(
      sql`SELECT 'domain' AS "kind", "id", "name" FROM "Domain" WHERE "id" = ${domainId} AND ${isUsable}`,
    );
  if (spaceId !== null)
    parts.push(
      sql`SELECT 'space' AS "kind", "id", '' AS "name" FROM "Space" WHERE "id" = ${spaceId} AND "accountId" = ${accountId}`,
    );
  if (pixelIds.length > 0)
    parts.push(
      sql`SELECT 'pixel' AS "kind", "id", '' AS "name" FROM "Pixel"
        WHERE "id" IN (${join([...pixelIds])}) AND "accountId" = ${accountId}`,
    );
  if (hosts.length > 0)
    parts.push(
      sql`SELECT 'host' AS "kind", "id", "name" FROM "Domain" WHERE "name" IN (${join([...hosts])}) AND ${isUsable}`,
    );
  if (alias !== null) {
    const another = linkId === null ? empty : sql`AND "Link"."id" <> ${linkId}`;
    parts.push(
      sql`SELECT 'alias' AS "kind", "Link"."id", '' AS "name" FROM "Link"
        JOIN "Domain" ON "Domain"."id" = "domainId" AND ${isUsable}
        WHERE "domainId" = ${domainId} AND "alias" = ${alias} ${another}`,
    );
  }
  const rows =
    parts.length > 0
      ? await readRows<{ kind: string; id: number; name: string }>(db, join(parts, ' UNION ALL '))
      : [];
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  return {
    domain: of('domain').length > 0,
    space: of('space').length > 0,
    pixelIds: new Set(of('pixel').map(({ id }) => id)),
    hosts: new Set(of('host').map(({ name }) => name)),
    alias: of('alias').length > 0,
  };
}

/** A link with one of the aliases, or with one that differs only in case. */
export interface AliasHolder {
  readonly domainId: number;
  readonly alias: string;
  readonly url: string;
  readonly accountId: number;
}

/** References of many new links. */
export interface ManyReferences {
  readonly accountId: number;
  readonly domainIds: readonly number[];
  readonly spaceIds: readonly number[];
  readonly pixelIds: readonly number[];
  readonly hosts: readonly string[];
  /** Aliases on the domains, and the same case-folded. */
  readonly aliases: readonly string[];
  readonly aliasKeys: readonly string[];
}

export interface FoundMany {
  readonly domainIds: ReadonlySet<number>;
  readonly spaceIds: ReadonlySet<number>;
  readonly pixelIds: ReadonlySet<number>;
  readonly hosts: ReadonlySet<string>;
  readonly aliasHolders: readonly AliasHolder[];
}

/** Looks up the references of many new links; each list is one parameter, however long it is. */
export async function findManyReferences(db: Db, references: ManyReferences): Promise<FoundMany> {
  const { accountId, domainIds, spaceIds, pixelIds, hosts, aliases, aliasKeys } = references;
  const listed = (type: 'text' | 'integer', values: readonly Cell[]): Sql =>
    dialectOf(db).table(
      { value: type },
      values.map((value) => [value]),
    );
  const texts = (values: readonly string[]) => listed('text', values);
  const numbers = (values: readonly number[]) => listed('integer', values);
  const isUsable = sql`("accountId" = ${accountId} OR "accountId" IS NULL)`;
  const ids = async (query: Sql) => new Set((await readRows<{ id: number }>(db, query)).map(({ id }) => id));
  const names = await readRows<{ name: string }>(
    db,
    sql`SELECT "name" FROM "Domain" WHERE "name" IN ${texts(hosts)} AND ${isUsable}`,
  );
  const columns = sql`"domainId", "alias", "url", "accountId"`;
  return {
    domainIds: await ids(sql`SELECT "id" FROM "Domain" WHERE "id" IN ${numbers(domainIds)} AND ${isUsable}`),
    spaceIds: await ids(
      sql`SELECT "id" FROM "Space" WHERE "id" IN ${numbers(spaceIds)} AND "accountId" = ${accountId}`,
    ),
    pixelIds: await ids(
      sql`SELECT "id" FROM "Pixel" WHERE "id" IN ${numbers(pixelIds)} AND "accountId" = ${accountId}`,
    ),
    hosts: new Set(names.map(({ name }) => name)),
    aliasHolders: await readRows<AliasHolder>(
      db,
      sql`SELECT ${columns} FROM "Link" WHERE "domainId" IN ${numbers(domainIds)} AND "alias" IN ${texts(aliases)}
        UNION SELECT ${columns} FROM "Link" WHERE "accountId" = ${accountId} AND "aliasKey" IN ${texts(aliasKeys)}`,
    ),
  };
}

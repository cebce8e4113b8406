import { Prisma } from '../../generated/sqlite/client.ts';
import type { Db } from '../connection/client.ts';
import { readRows } from '../connection/direct.ts';
import { join, type Sql, sql } from './list.ts';

/** What a link refers to, to be looked up; ids that nothing has are welcome. */
export interface References {
  readonly accountId: number;
  readonly domainId: number;
  readonly spaceId: number | null;
  readonly pixelIds: readonly number[];
  readonly hosts: readonly string[];
  /** An alias that another link than `linkId` must not have. */
  readonly alias: string | null;
  readonly linkId: number | null;
}

export interface Found {
  /** Whether the account may use the domain: as its own, or as a shared one. */
  domain: boolean;
  /** Whether the space is the account's. */
  space: boolean;
  /** Which of the pixels are the account's. */
  pixelIds: Set<number>;
  /** Which of the hosts are short domains of the service that the account may use. */
  hosts: Set<string>;
  /** Whether another link has the alias on the domain. */
  alias: boolean;
}

/** Finds all that the references name, by one statement. */
export async function findReferences(db: Db, references: References): Promise<Found> {
  const { accountId, domainId, spaceId, pixelIds, hosts, alias, linkId } = references;
  // Of what the account may not use, it learns nothing.
  const isUsable = sql`("Domain"."accountId" = ${accountId} OR "Domain"."accountId" IS NULL)`;
  const parts: Sql[] = [
    sql`SELECT 'domain' AS "kind", "id", "name" AS "name" FROM "Domain" WHERE "id" = ${domainId} AND ${isUsable}`,
  ];
  if (spaceId !== null)
    parts.push(
      sql`SELECT 'space', "id", '' FROM "Space" WHERE "id" = ${spaceId} AND "accountId" = ${accountId}`,
    );
  if (pixelIds.length > 0)
    parts.push(
      sql`SELECT 'pixel', "id", '' FROM "Pixel" WHERE "id" IN (${join([...pixelIds])}) AND "accountId" = ${accountId}`,
    );
  if (hosts.length > 0)
    parts.push(
      sql`SELECT 'host', "id", "name" FROM "Domain" WHERE "name" IN (${join([...hosts])}) AND ${isUsable}`,
    );
  if (alias !== null) {
    const another = linkId === null ? Prisma.empty : sql`AND "Link"."id" <> ${linkId}`;
    parts.push(
      sql`SELECT 'alias', "Link"."id", '' FROM "Link" JOIN "Domain" ON "Domain"."id" = "domainId" AND ${isUsable}
        WHERE "domainId" = ${domainId} AND "alias" = ${alias} ${another}`,
    );
  }
  const rows = await readRows<{ kind: string; id: number; name: string }>(db, join(parts, ' UNION ALL '));
  const of = (kind: string) => rows.filter((row) => row.kind === kind);
  return {
    domain: of('domain').length > 0,
    space: of('space').length > 0,
    pixelIds: new Set(of('pixel').map(({ id }) => id)),
    hosts: new Set(of('host').map(({ name }) => name)),
    alias: of('alias').length > 0,
  };
}

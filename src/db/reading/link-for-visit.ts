import { isUnstorable } from '../../engine/db/errors.ts';
import { columnsIn, join, type Sql, sql } from '../../engine/db/sql.ts';
import { nestedColumns } from '../../engine/lists/list-statements.ts';
import { isAscii } from '../../engine/rules/input.ts';
import type { Link, LinkCounter, Pixel } from '../../generated/sqlite/client.ts';
import type { Data } from '../database.ts';

const linkColumns = [
  ...(['id', 'accountId', 'alias', 'url', 'password', 'forwardsQuery'] as const),
  ...(['expirationUrl', 'expiresAt', 'expirationClicks', 'startsAt', 'redirectStatus'] as const),
  ...(['targetType', 'countries', 'platforms', 'languages', 'rotation', 'rules'] as const),
] as const;
const pixelColumns = ['id', 'type', 'value'] as const;

/** The columns of a link that a visit needs, without its pixels. A link is disabled with its account. */
type Visited = Pick<Link, (typeof linkColumns)[number] | 'disabled'> &
  Pick<LinkCounter, 'clicks'> & {
    /** Number of visits that its rotation has served. */
    readonly position: number;
    /** True if it has a preview. */
    readonly hasPreview: boolean;
    /** True if it has a preview, and no other account is there: then nobody else answers for the default domain. */
    readonly isOfOnlyAccount: boolean;
  };
export type VisitedPixel = Pick<Pixel, (typeof pixelColumns)[number]>;

/** A link as visitors need it. */
export type VisitedRow = Visited & {
  readonly pixels: readonly VisitedPixel[];
  /** True if no alias of its domain is below its own; absent if that was not asked. */
  readonly isAlone?: boolean;
};

/** A visited link's columns with one of its pixels, or null. */
type FlatRow = Visited & { readonly pixel: VisitedPixel | null };

const hasPreview = sql`("Link"."previewTitle" IS NOT NULL OR "Link"."previewDescription" IS NOT NULL
  OR "Link"."previewImage" IS NOT NULL)`;

const columns = join([
  columnsIn('Link', linkColumns),
  sql`"Link"."disabled" OR "Account"."disabledAt" IS NOT NULL AS "disabled"`,
  sql`"LinkCounter"."clicks", "LinkCounter"."turns" AS "position"`,
  sql`${hasPreview} AS "hasPreview", ${hasPreview} AND NOT EXISTS (
    SELECT 1 FROM "Account" AS "other" WHERE "other"."id" <> "Link"."accountId") AS "isOfOnlyAccount"`,
  nestedColumns('p', 'pixel', pixelColumns),
]);

/** A link's id, its alias on its domain, or several aliases of which the first that is a link's counts. */
export type VisitedBy =
  | { readonly id: number }
  | { readonly domainId: number; readonly alias: string }
  | { readonly domainId: number; readonly aliases: readonly string[] };

/** A condition: the link is the one that was asked for. */
function isAsked(db: Data, by: VisitedBy): Sql {
  if ('id' in by) return sql`"Link"."id" = ${by.id}`;
  if ('alias' in by) return sql`"Link"."domainId" = ${by.domainId} AND "Link"."alias" = ${by.alias}`;
  return sql`"Link"."id" = ${firstWithAlias(db, sql`${by.domainId}`, by.aliases)}`;
}

/** The id of the link with the first of these aliases that a link of the domain has. */
export function firstWithAlias({ dialect }: Data, domainId: Sql, aliases: readonly string[]): Sql {
  const asked = dialect.table(
    { place: 'integer', alias: 'text' },
    aliases.map((alias, place) => [place, alias]),
  );
  return sql`(SELECT "named"."id" FROM ${asked} AS "asked"
    JOIN "Link" AS "named" ON "named"."domainId" = ${domainId} AND "named"."alias" = "asked"."alias"
    ORDER BY "asked"."place" LIMIT 1)`;
}

/** The link of the domain with the first of these aliases that one has; null if none has one. */
export async function findFirstAlias(
  db: Data,
  domainId: number,
  aliases: readonly string[],
): Promise<Pick<Link, 'id' | 'alias'> | null> {
  return storable(aliases, async (asked) => {
    const first = firstWithAlias(db, sql`${domainId}`, asked);
    const [link = null] = await db.read<Pick<Link, 'id' | 'alias'>>(
      sql`SELECT "id", "alias" FROM "Link" WHERE "id" = ${first}`,
    );
    return link;
  });
}

/** Reads by aliases; by those of ASCII alone if the encoding of the database lacks a character of another, which no link has then. */
async function storable<Found>(
  aliases: readonly string[],
  read: (aliases: readonly string[]) => Promise<Found | null>,
): Promise<Found | null> {
  try {
    return await read(aliases);
  } catch (error) {
    if (!isUnstorable(error)) throw error;
    const plain = aliases.filter(isAscii);
    return plain.length > 0 ? read(plain) : null;
  }
}

/** Columns: whether no other alias of the domain begins with the link's and a slash; `0` is the character after it. */
const alone = sql`NOT EXISTS (
  SELECT 1 FROM "Link" AS "below" WHERE "below"."domainId" = "Link"."domainId"
    AND "below"."alias" > "Link"."alias" || '/' AND "below"."alias" < "Link"."alias" || '0') AS "isAlone"`;

/** The link that was asked for, in one statement; null if there is none. */
export async function readVisitedLink(db: Data, by: VisitedBy): Promise<VisitedRow | null> {
  if ('id' in by) return readAsked(db, by);
  if ('alias' in by) return storable([by.alias], () => readAsked(db, by));
  return storable(by.aliases, (aliases) => readAsked(db, { ...by, aliases }));
}

async function readAsked(db: Data, by: VisitedBy): Promise<VisitedRow | null> {
  const rows = await db.read<FlatRow>(sql`
    SELECT ${columns}${'aliases' in by ? sql`, ${alone}` : sql``}
    FROM "Link" JOIN "LinkCounter" ON "LinkCounter"."linkId" = "Link"."id"
      JOIN "Account" ON "Account"."id" = "Link"."accountId"
      LEFT JOIN "LinkPixel" ON "LinkPixel"."linkId" = "Link"."id" LEFT JOIN "Pixel" AS "p" ON "p"."id" = "LinkPixel"."pixelId"
    WHERE ${isAsked(db, by)} ORDER BY "p"."id"`);
  const [link] = rows;
  if (link === undefined) return null;
  return { ...link, pixels: rows.flatMap(({ pixel }) => pixel ?? []) };
}

/** The title of a link; null if the link is gone. */
export function readTitle({ prisma }: Data, id: number): Promise<Pick<Link, 'id' | 'title'> | null> {
  return prisma.link.findUnique({ where: { id }, select: { id: true, title: true } });
}

const cardColumns = {
  ...{ id: true, title: true, url: true, alias: true },
  ...{ previewTitle: true, previewDescription: true, previewImage: true },
} as const;

/** The texts and the image of a link's preview. */
export type LinkCard = Pick<Link, keyof typeof cardColumns>;

/** The preview of a link; null if the link is gone. */
export function readCard({ prisma }: Data, id: number): Promise<LinkCard | null> {
  return prisma.link.findUnique({ where: { id }, select: cardColumns });
}

/** True if the account is the only one. */
export async function isOnlyAccount({ prisma }: Data, accountId: number): Promise<boolean> {
  const other = { where: { id: { not: accountId } }, select: { id: true } };
  return (await prisma.account.findFirst(other)) === null;
}

import { columnsIn, join, sql } from '../../engine/db/sql.ts';
import { nestedColumns } from '../../engine/lists/list-statements.ts';
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
  };
export type VisitedPixel = Pick<Pixel, (typeof pixelColumns)[number]>;

/** A link as visitors need it. */
export type VisitedRow = Visited & { readonly pixels: readonly VisitedPixel[] };

/** A visited link's columns with one of its pixels, or null. */
type FlatRow = Visited & { readonly pixel: VisitedPixel | null };

const columns = join([
  columnsIn('Link', linkColumns),
  sql`"Link"."disabled" OR "Account"."disabledAt" IS NOT NULL AS "disabled"`,
  sql`"LinkCounter"."clicks", "LinkCounter"."turns" AS "position"`,
  nestedColumns('p', 'pixel', pixelColumns),
]);

/** The link with this id, or with this alias on this domain, in one statement; null if there is none. */
export async function readVisitedLink(
  db: Data,
  by: { readonly id: number } | { readonly domainId: number; readonly alias: string },
): Promise<VisitedRow | null> {
  const which =
    'id' in by
      ? sql`"Link"."id" = ${by.id}`
      : sql`"Link"."domainId" = ${by.domainId} AND "Link"."alias" = ${by.alias}`;
  const rows = await db.read<FlatRow>(sql`
    SELECT ${columns}
    FROM "Link" JOIN "LinkCounter" ON "LinkCounter"."linkId" = "Link"."id"
      JOIN "Account" ON "Account"."id" = "Link"."accountId"
      LEFT JOIN "LinkPixel" ON "LinkPixel"."linkId" = "Link"."id" LEFT JOIN "Pixel" AS "p" ON "p"."id" = "LinkPixel"."pixelId"
    WHERE ${which} ORDER BY "p"."id"`);
  const [link] = rows;
  if (link === undefined) return null;
  return { ...link, pixels: rows.flatMap(({ pixel }) => pixel ?? []) };
}

/** The title of a link; null if the link is gone. */
export function readTitle({ prisma }: Data, id: number): Promise<Pick<Link, 'id' | 'title'> | null> {
  return prisma.link.findUnique({ where: { id }, select: { id: true, title: true } });
}

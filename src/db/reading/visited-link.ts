import { type Link, type Pixel, Prisma } from '../../generated/sqlite/client.ts';
import type { Turn } from '../clicks.ts';
import type { Db } from '../connection/db.ts';
import { readRows } from '../connection/direct.ts';
import { sql } from '../connection/sql.ts';
import { columnsOf, nestedColumns } from './columns.ts';

/** A link as visitors need it. */
export type VisitedRow = Link & Turn & { readonly pixels: readonly Pixel[] };

/** The same with one of its pixels, or null. */
interface FlatRow extends Link, Turn {
  readonly pixel: Pixel | null;
}

const pixelColumns = nestedColumns('p', 'pixel', Object.values(Prisma.PixelScalarFieldEnum));

/** The link with this id, or with this alias on this domain, in one statement; null if there is none. */
export async function readVisitedLink(
  db: Db,
  by: { readonly id: number } | { readonly domainId: number; readonly alias: string },
): Promise<VisitedRow | null> {
  const which =
    'id' in by
      ? sql`"Link"."id" = ${by.id}`
      : sql`"Link"."domainId" = ${by.domainId} AND "Link"."alias" = ${by.alias}`;
  const rows = await readRows<FlatRow>(
    db,
    sql`
    SELECT ${columnsOf.Link}, "LinkCounter"."clicks", "LinkCounter"."turns", ${pixelColumns}
    FROM "Link" JOIN "LinkCounter" ON "LinkCounter"."linkId" = "Link"."id"
      LEFT JOIN "LinkPixel" ON "LinkPixel"."linkId" = "Link"."id" LEFT JOIN "Pixel" AS "p" ON "p"."id" = "LinkPixel"."pixelId"
    WHERE ${which} ORDER BY "p"."id"`,
  );
  const [link] = rows;
  if (link === undefined) return null;
  return { ...link, pixels: rows.flatMap(({ pixel }) => pixel ?? []) };
}

import type { Link, Pixel } from '../../generated/sqlite/client.ts';
import type { Turn } from '../clicks.ts';
import type { Db } from '../connection/client.ts';
import { readRows } from '../connection/direct.ts';
import { columnsOf } from './columns.ts';
import { sql } from './list.ts';

/** A link as visitors need it. */
export type VisitedRow = Link & Turn & { readonly pixels: readonly Pixel[] };

/** The same beside one of its pixels, or none. */
interface FlatRow extends Link, Turn {
  pixel_id: number | null;
  pixel_accountId: number;
  pixel_name: string;
  pixel_type: string;
  pixel_value: string;
  pixel_createdAt: Date;
  pixel_updatedAt: Date;
}

/** The link with this id, or with this alias on this domain, by one statement; null where there is none. */
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
    SELECT ${columnsOf.Link}, "LinkCounter"."clicks", "LinkCounter"."turns", "p"."id" AS "pixel_id",
      "p"."accountId" AS "pixel_accountId", "p"."name" AS "pixel_name", "p"."type" AS "pixel_type",
      "p"."value" AS "pixel_value", "p"."createdAt" AS "pixel_createdAt", "p"."updatedAt" AS "pixel_updatedAt"
    FROM "Link" JOIN "LinkCounter" ON "LinkCounter"."linkId" = "Link"."id"
      LEFT JOIN "LinkPixel" ON "LinkPixel"."linkId" = "Link"."id" LEFT JOIN "Pixel" AS "p" ON "p"."id" = "LinkPixel"."pixelId"
    WHERE ${which} ORDER BY "p"."id"`,
  );
  const [link] = rows;
  if (link === undefined) return null;
  const pixels = rows.flatMap((row) =>
    row.pixel_id === null
      ? []
      : {
          id: row.pixel_id,
          accountId: row.pixel_accountId,
          name: row.pixel_name,
          type: row.pixel_type,
          value: row.pixel_value,
          createdAt: row.pixel_createdAt,
          updatedAt: row.pixel_updatedAt,
        },
  );
  return { ...link, pixels };
}

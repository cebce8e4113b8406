import type { Link } from '../generated/sqlite/client.ts';
import type { Db } from './client.ts';
import { join, type Sql, sql } from './list.ts';
import { retryConflicts } from './retry.ts';

/** How many links one statement counts for; SQLite takes about 32,000 parameters. */
const MAX_LINKS = 5_000;

/** Adds to the clicks of many links, by one statement for each 5,000 of them. Links that are gone are skipped. */
export async function addClicks(db: Db, clicks: ReadonlyMap<number, number>): Promise<void> {
  const all = [...clicks].sort(([a], [b]) => a - b);
  for (let start = 0; start < all.length; start += MAX_LINKS) {
    const rows = all
      .slice(start, start + MAX_LINKS)
      .map(([id, count]) => sql`(CAST(${id} AS INTEGER), CAST(${count} AS INTEGER))`);
    await retryConflicts(() =>
      db.$executeRaw(sql`WITH "counted" ("linkId", "count") AS (VALUES ${join(rows)})
        UPDATE "Link" SET "clicks" = "clicks" + "counted"."count" FROM "counted" WHERE "id" = "counted"."linkId"`),
    );
  }
}

/**
 * Counts one visit at once, where the link still meets the condition, and takes its turn of the rotation. Returns clicks and
 * turns as they were before; null where it does not, so that of many visits at once no more get through than may.
 */
export async function claimVisit(
  db: Db,
  linkId: number,
  isActive: Sql,
): Promise<Pick<Link, 'clicks' | 'turns'> | null> {
  const [row] = await retryConflicts(() =>
    db.$queryRaw<Pick<Link, 'clicks' | 'turns'>[]>(sql`
        UPDATE "Link" SET "clicks" = "clicks" + 1, "turns" = "turns" + 1
        WHERE "id" = ${linkId} AND ${isActive}
        RETURNING "clicks", "turns"`),
  );
  return row ? { clicks: row.clicks - 1, turns: row.turns - 1 } : null;
}

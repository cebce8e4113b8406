import { empty, join, type Sql, sql } from '../../engine/db/sql.ts';
import type { Data } from '../database.ts';
import type { Day } from './calendar.ts';
import { chooseSource } from './scope.ts';

/** The clicks of a link or an account on a day, and its visits by bots. */
export interface WatchedCounts {
  readonly scope: 'link' | 'account';
  readonly id: number;
  readonly clicks: number;
  readonly bots: number;
}

/**
 * The counts of links and accounts on a day, in one statement. Links that do not exist are left out.
 * @param accountId the account whose links are read; null for those of any
 */
export async function readWatched(
  db: Data,
  day: Day,
  linkIds: readonly number[],
  accountIds: readonly number[],
  accountId: number | null = null,
): Promise<WatchedCounts[]> {
  const parts: Sql[] = [];
  if (linkIds.length > 0) {
    const owned = accountId === null ? empty : sql`AND "Link"."accountId" = ${accountId}`;
    const isWatched = db.dialect.isIn(sql`"Link"."id"`, 'integer', linkIds);
    parts.push(sql`SELECT 1 AS "isLink", "Link"."id" AS "id", COALESCE("clicks", 0) AS "clicks", COALESCE("bots", 0) AS "bots"
      FROM "Link" LEFT JOIN "LinkDay" ON "LinkDay"."linkId" = "Link"."id" AND "LinkDay"."day" = ${day}
      WHERE ${isWatched} ${owned}`);
  }
  if (accountIds.length > 0) {
    const { owner, from } = chooseSource('account', 'Day', accountIds);
    parts.push(sql`SELECT 0 AS "isLink", ${owner} AS "id", SUM("clicks") AS "clicks", SUM("bots") AS "bots"
      FROM ${from} AND "day" = ${day} GROUP BY ${owner}`);
  }
  if (parts.length === 0) return [];
  const rows = await db.read<{ isLink: number; id: number; clicks: number; bots: number }>(
    sql`${join(parts, ' UNION ALL ')}`,
  );
  const found = rows.map(
    ({ isLink, ...counts }): WatchedCounts => ({ scope: isLink === 1 ? 'link' : 'account', ...counts }),
  );
  const counted = new Set(found.flatMap(({ scope, id }) => (scope === 'account' ? id : [])));
  // An account without visits on the day has no row.
  const others = accountIds.filter((id) => !counted.has(id));
  return [...found, ...others.map((id): WatchedCounts => ({ scope: 'account', id, clicks: 0, bots: 0 }))];
}

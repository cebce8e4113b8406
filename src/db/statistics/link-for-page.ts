import { columnsIn, sql } from '../../engine/db/sql.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import type { Data } from '../database.ts';
import { hasBegun } from '../reading/link-status.ts';

const columns = [
  ...(['id', 'accountId', 'alias', 'url', 'password', 'disabled'] as const),
  ...(['expirationUrl', 'expiresAt', 'expirationClicks'] as const),
  ...(['targetType', 'countries', 'platforms', 'languages', 'rotation', 'rules'] as const),
] as const;

/** The columns of a link that its page of statistics needs. */
export type ShownLink = Pick<Link, (typeof columns)[number] | 'privacyPassword'>;

/**
 * The link with this alias on this domain whose statistics others may see; null if there is none. A private link, one that has not
 * begun, and one of a disabled account, is treated like one that does not exist. To make both take the same time, a row is read in either case: for an unknown alias, that of
 * the next alias.
 */
export async function readShownLink(
  db: Data,
  domainId: number,
  alias: string,
  now: Date,
): Promise<ShownLink | null> {
  const [link = null] = await db.read<ShownLink>(sql`
    SELECT ${columnsIn('next', columns)},
      CASE WHEN "privacy" = 'PASSWORD' THEN COALESCE("privacyPassword", '') END AS "privacyPassword"
    FROM (
      SELECT ${columnsIn('Link', [...columns, 'privacy', 'privacyPassword', 'startsAt'])} FROM "Link"
      WHERE "domainId" = ${domainId} AND "alias" >= ${alias} ORDER BY "alias" LIMIT 1
    ) AS "next"
    WHERE "alias" = ${alias} AND "privacy" <> 'PRIVATE' AND ${hasBegun(now)}
      AND EXISTS (SELECT 1 FROM "Account" WHERE "Account"."id" = "next"."accountId" AND "disabledAt" IS NULL)`);
  return link;
}

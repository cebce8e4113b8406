import type { Link } from '../../generated/sqlite/client.ts';
import type { Data } from '../database.ts';
import { sql } from '../sql.ts';

/** The columns of a link that its page of statistics needs. */
export type ShownLink = Pick<
  Link,
  'id' | 'accountId' | 'alias' | 'disabled' | 'password' | 'privacyPassword' | 'expirationClicks'
>;

/**
 * The link with this alias on this domain whose statistics others may see; null if there is none. A private link is treated
 * like one that does not exist. To make both take the same time, a row is read in either case: for an unknown alias, that of
 * the next alias.
 */
export async function readShownLink(db: Data, domainId: number, alias: string): Promise<ShownLink | null> {
  const [link = null] =
    await db.read<ShownLink>(sql`SELECT "id", "accountId", "alias", "password", CASE WHEN "privacy" = 'PASSWORD' THEN COALESCE("privacyPassword", '') END AS "privacyPassword",
      "disabled", "expirationClicks" FROM (
        SELECT "id", "accountId", "alias", "password", "privacy", "privacyPassword", "disabled", "expirationClicks" FROM "Link"
        WHERE "domainId" = ${domainId} AND "alias" >= ${alias} ORDER BY "alias" LIMIT 1
      ) AS "next" WHERE "alias" = ${alias} AND "privacy" <> 'PRIVATE'`);
  return link;
}

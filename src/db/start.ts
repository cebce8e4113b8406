// The questions of each start. They bypass Prisma's client, whose compiler of queries is loaded once the service answers.
import { type Sql, sql } from '../engine/db/sql.ts';
import type { Data } from './database.ts';

type Readable = Pick<Data, 'read'>;

async function hasRows(db: Readable, from: Sql): Promise<boolean> {
  return (await db.read(sql`SELECT 1 FROM ${from} LIMIT 1`)).length > 0;
}

export const hasAccounts = (db: Readable): Promise<boolean> => hasRows(db, sql`"Account"`);

export const hasAccountsFromBefore = (db: Readable, time: Date): Promise<boolean> =>
  hasRows(db, sql`"Account" WHERE "createdAt" < ${time}`);

export const hasOwners = (db: Readable): Promise<boolean> =>
  hasRows(db, sql`"Membership" WHERE "role" = 'OWNER'`);

export const hasWelcome = (db: Readable, now: Date): Promise<boolean> =>
  hasRows(db, sql`"OneTimeToken" WHERE "kind" = 'WELCOME' AND "expiresAt" > ${now}`);

export const hasPixels = (db: Readable): Promise<boolean> => hasRows(db, sql`"Pixel"`);

export const hasWebhooks = (db: Readable): Promise<boolean> => hasRows(db, sql`"Webhook"`);

export const hasDomainsWithPort = (db: Readable, port: string): Promise<boolean> =>
  hasRows(db, sql`"Domain" WHERE "name" LIKE ${`%${port}`}`);

/** The domain of an account that has the host, and the account's name. */
export async function findHolder(
  db: Readable,
  host: string,
  hostKey: string,
): Promise<{ readonly host: string; readonly account: string } | undefined> {
  const [held] = await db.read<{ host: string; account: string }>(sql`
    SELECT "Domain"."name" AS "host", "Account"."name" AS "account"
    FROM "Domain" JOIN "Account" ON "Account"."id" = "accountId"
    WHERE "Domain"."name" = ${host} OR "hostKey" = ${hostKey} ORDER BY "Domain"."id" LIMIT 1`);
  return held;
}

/** The id of the default domain, if that has the name and the redirect. */
export async function findDefaultDomain(
  db: Readable,
  name: string,
  notFoundUrl: string | null,
): Promise<number | undefined> {
  const [found] = await db.read<{ id: number }>(sql`
    SELECT "id" FROM "Domain"
    WHERE "name" = ${name} AND "isDefault" AND "notFoundUrl" IS NOT DISTINCT FROM ${notFoundUrl}`);
  return found?.id;
}

import { empty, sql } from '../../engine/db/sql.ts';
import type { Domain } from '../../generated/sqlite/client.ts';
import type { Data } from '../database.ts';

/** The hosts, without ports, of the domains for which `servesVisitors` holds; its condition, since there may be very many. */
export async function readServedHosts(db: Data, verifiesDomains: boolean): Promise<ReadonlySet<string>> {
  const where = verifiesDomains ? sql`WHERE "accountId" IS NULL OR "verifiedAt" IS NOT NULL` : empty;
  const rows = await db.read<Pick<Domain, 'hostKey'>>(sql`SELECT "hostKey" FROM "Domain" ${where}`);
  return new Set(rows.map(({ hostKey }) => hostKey));
}

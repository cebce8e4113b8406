import type { Db } from './connection/client.ts';
import { join, sql } from './reading/list.ts';

/**
 * Adds the requests made with each key to those of all processes, and returns how many there are now. Of PostgreSQL
 * alone, where processes share a database.
 */
export async function addKeyUses(db: Db, uses: ReadonlyMap<number, number>): Promise<Map<number, number>> {
  if (uses.size === 0) return new Map();
  // In one order for all processes, so that none waits for another in a circle.
  const rows = [...uses].sort(([a], [b]) => a - b).map(([keyId, count]) => sql`(${keyId}, ${count})`);
  const totals = await db.$queryRaw<{ keyId: number; requests: bigint }[]>(sql`
    INSERT INTO "KeyUse" ("keyId", "requests") VALUES ${join(rows)}
    ON CONFLICT ("keyId") DO UPDATE SET "requests" = "KeyUse"."requests" + EXCLUDED."requests"
    RETURNING "keyId", "requests"`);
  return new Map(totals.map(({ keyId, requests }) => [keyId, Number(requests)]));
}

import { join, sql } from '../engine/db/sql.ts';
import type { Data } from './database.ts';

/**
 * Adds this process's requests of each key to the shared counts, and returns the new totals. Only for PostgreSQL, where
 * processes share a database.
 */
export async function addKeyUses(db: Data, uses: ReadonlyMap<number, number>): Promise<Map<number, number>> {
  if (uses.size === 0) return new Map();
  // All processes use the same order, to prevent deadlocks.
  const rows = [...uses].sort(([a], [b]) => a - b).map(([keyId, count]) => sql`(${keyId}, ${count})`);
  const totals = await db.read<{
    keyId: number;
    requests: number;
  }>(sql`INSERT INTO "KeyUse" ("keyId", "requests") VALUES ${join(rows)}
      ON CONFLICT ("keyId") DO UPDATE SET "requests" = "KeyUse"."requests" + EXCLUDED."requests"
      RETURNING "keyId", "requests"`);
  return new Map(totals.map(({ keyId, requests }) => [keyId, requests]));
}

import type { Db } from './db.ts';
import { raw, sql } from './sql.ts';

/** The channel of notifications about writes of accounts. */
export const WRITES_CHANNEL = 'linkspace_writes';

/** A position in PostgreSQL's write-ahead log, as a number: `16/B374D848` has its two halves in hex. */
export function positionOf(lsn: string): bigint {
  const [high = '0', low = '0'] = lsn.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}

/** The position that a function of PostgreSQL returns; null if it has none. */
export async function readPosition(
  db: Db,
  from: 'pg_current_wal_insert_lsn' | 'pg_current_wal_flush_lsn' | 'pg_last_wal_replay_lsn',
): Promise<bigint | null> {
  const [row] = await db.$queryRaw<{ lsn: string | null }[]>(sql`SELECT ${raw(from)}()::text AS "lsn"`);
  return row?.lsn ? positionOf(row.lsn) : null;
}

/**
 * Announces a write of the account, so that processes read from no replica that lacks it. Returns a position that has the
 * write.
 */
export async function announceWrite(db: Db, accountId: number): Promise<bigint> {
  const [row] = await db.$queryRaw<{ lsn: string }[]>`
    SELECT "lsn", pg_notify(${WRITES_CHANNEL}, ${String(accountId)}::text || ' ' || "lsn")::text
    FROM (SELECT pg_current_wal_insert_lsn()::text AS "lsn") AS "written"`;
  return positionOf(row?.lsn ?? '');
}

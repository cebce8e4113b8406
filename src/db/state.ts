import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { Db } from './client.ts';
import { driverOf } from './sqlite-driver.ts';

/**
 * Names what a SQLite file holds: by the number of changes that others committed to it, and of those that this connection
 * made. Null while a transaction is open, of which nobody knows yet whether it counts.
 */
export function sqliteState(adapter: SqlDriverAdapter): () => string | null {
  const driver = driverOf(adapter);
  const others = driver.prepare('PRAGMA data_version').raw(true);
  const own = driver.prepare('SELECT total_changes()').raw(true);
  return () => (driver.inTransaction ? null : `${others.all()} ${own.all()}`);
}

/** Names what a PostgreSQL database holds: a snapshot tells which transactions count, and each that writes makes another. */
export async function postgresqlState(client: Db): Promise<string | null> {
  const [row] = await client.$queryRaw<{ state: string }[]>`SELECT pg_current_snapshot()::text AS "state"`;
  return row?.state ?? null;
}

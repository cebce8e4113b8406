import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { Db } from './client.ts';

/** What is asked of better-sqlite3 itself; not part of the adapters' common interface. */
interface HasClient {
  client: { readonly inTransaction: boolean; prepare(sql: string): { pluck(): { get(): unknown } } };
}

/**
 * Names what a SQLite file holds: by the number of changes that others committed to it, and of those that this connection
 * made. Null while a transaction is open, of which nobody knows yet whether it counts.
 */
export function sqliteState(adapter: SqlDriverAdapter): () => string | null {
  // The adapter of @prisma/adapter-better-sqlite3 has this property; its type does not say so.
  const { client } = adapter as SqlDriverAdapter & HasClient;
  const others = client.prepare('PRAGMA data_version').pluck();
  const own = client.prepare('SELECT total_changes()').pluck();
  return () => (client.inTransaction ? null : `${others.get()} ${own.get()}`);
}

/** Names what a PostgreSQL database holds: a snapshot tells which transactions count, and each that writes makes another. */
export async function postgresqlState(client: Db): Promise<string | null> {
  const [row] = await client.$queryRaw<{ state: string }[]>`SELECT pg_current_snapshot()::text AS "state"`;
  return row?.state ?? null;
}

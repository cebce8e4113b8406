import type { Client, ClientConfig } from 'pg';

/** A property of `pg`'s connections that its types lack: the process id that the server sent at the start. */
interface Greeted {
  readonly processID: number | null;
}

/** There is a connection pooler in front of the database, which cannot hold session-level locks. */
export class PoolerBetween extends Error {}

/** Opens a connection outside any pool. The driver is loaded on demand, since SQLite does not need it. */
export async function connectTo(url: string, config: ClientConfig = {}): Promise<Client> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, keepAlive: true, ...config });
  await client.connect();
  return client;
}

/**
 * Whether the connection goes through a pooler: the process id that a pooler sends at the start differs from that of the
 * server process that answers a query.
 */
export async function isPooled(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS "pid"');
  return rows[0]?.pid !== (client as Client & Greeted).processID;
}

/** The same of a URL. */
export async function hasPooler(url: string): Promise<boolean> {
  const client = await connectTo(url, { connectionTimeoutMillis: 10_000, query_timeout: 10_000 });
  return isPooled(client).finally(() => client.end());
}

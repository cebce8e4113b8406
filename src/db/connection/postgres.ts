import type { Client, ClientConfig } from 'pg';

/** What `pg` knows of a connection, and its typings do not have: the process that the server named when it was opened. */
interface Greeted {
  readonly processID: number | null;
}

/** A connection pooler stands before the database, through which a lock of a whole session cannot be held. */
export class PoolerBetween extends Error {}

/** Opens a connection of its own, outside any pool. What only this database needs is loaded when it is asked for. */
export async function connectTo(url: string, config: ClientConfig = {}): Promise<Client> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: url, keepAlive: true, ...config });
  await client.connect();
  return client;
}

/**
 * Whether a pooler stands between: it names a process of its own when a connection is opened, while a query is answered by one
 * of the server's.
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

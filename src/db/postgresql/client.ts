import type { Client, ClientConfig } from 'pg';
import { driverUrl } from '../url.ts';
import { quoted } from './schema.ts';

declare module 'pg' {
  /** Parts of `pg`'s connections that its types lack. */
  interface ClientBase {
    /** The process id that the server sent at the start. */
    readonly processID: number | null;
    /** The parameters of the first message to the server. */
    getStartupConf(): Record<string, string>;
  }
}

/** There is a connection pooler in front of the database, which cannot hold session-level locks. */
export class PoolerBetween extends Error {}

/** Settings of every connection, in its first message. Poolers pass these on. */
export const COMMON = { DateStyle: 'ISO, MDY', TimeZone: 'UTC' } as const;

/** Further settings of connections to the server itself that change what statements do. Poolers refuse them. */
export const DIRECT = {
  // Otherwise a NULL in an array is the text "NULL".
  array_nulls: 'on',
  // Writes have to see the changes of others for which they have waited.
  default_transaction_isolation: 'read committed',
  // Otherwise a search finds only some rows.
  gin_fuzzy_search_limit: '0',
} as const;

/** A class of `pg`'s clients whose connections begin with these settings. */
export async function clientWith(settings: Readonly<Record<string, string>>): Promise<typeof Client> {
  // The driver is loaded on demand, since SQLite does not need it.
  const { default: pg } = await import('pg');
  return class extends pg.Client {
    override getStartupConf() {
      return { ...super.getStartupConf(), ...settings };
    }
  };
}

/** The settings of connections that find the tables in this schema. @param pooled whether a pooler passes the settings on */
export function settingsOf(pooled: boolean, schema: string): Readonly<Record<string, string>> {
  // To compile a statement takes longer than it saves.
  return pooled ? COMMON : { ...COMMON, ...DIRECT, jit: 'off', search_path: quoted(schema) };
}

/** A client outside any pool, which is not connected yet. */
export async function newClient(
  url: string,
  config: ClientConfig = {},
  settings: Readonly<Record<string, string>> = COMMON,
): Promise<Client> {
  return new (await clientWith(settings))({ connectionString: driverUrl(url), keepAlive: true, ...config });
}

/** Opens a connection outside any pool. */
export async function connectTo(...how: Parameters<typeof newClient>): Promise<Client> {
  const client = await newClient(...how);
  await client.connect();
  return client;
}

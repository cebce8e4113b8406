import type { Client, ClientBase, ClientConfig } from 'pg';
import { changePlainStatements, withStartup } from '../private.ts';
import { driverUrl } from '../url.ts';
import { quoted } from './schema.ts';

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

/**
 * Limits after which the server ends the connection of a process that hangs. In a transaction, it holds rows that others wait
 * for. Outside, it does not take what was sent.
 */
const LIMITS = { idle_in_transaction_session_timeout: '15s', tcp_user_timeout: '15s' } as const;

/** The begin of a transaction with these limits, for poolers, which refuse them in the first message. */
const BEGIN_LIMITED = [
  'BEGIN',
  ...Object.entries(LIMITS).map(([setting, value]) => `SET LOCAL ${setting} = '${value}'`),
].join('; ');

/** Has the transactions of a pool's connection begin with these limits, without another message. */
export function limitTransactions(client: ClientBase): void {
  changePlainStatements(client, (text) => (text === 'BEGIN' ? BEGIN_LIMITED : text));
}

/** A class of `pg`'s clients whose connections begin with these settings; their `options` count less than the URL's. */
export async function clientWith(settings: Readonly<Record<string, string>>): Promise<typeof Client> {
  // The driver is loaded on demand, since SQLite does not need it.
  const { default: pg } = await import('pg');
  return withStartup(pg.Client, (given) => {
    // The server takes the last of two options for one setting.
    const options = [settings.options, given.options].filter((option) => option !== undefined).join(' ');
    return { ...given, ...settings, ...(options && { options }) };
  });
}

/** The settings of connections that find the tables in this schema. @param pooled whether a pooler passes the settings on */
export function makeSettings(pooled: boolean, schema: string): Readonly<Record<string, string>> {
  if (pooled) return COMMON;
  // To compile a statement takes longer than it saves. The URL may say otherwise.
  return { ...COMMON, ...DIRECT, ...LIMITS, search_path: quoted(schema), options: '-c jit=off' };
}

/** A client outside any pool, which is not connected yet. */
export async function newClient(
  url: string,
  config: ClientConfig = {},
  settings: Readonly<Record<string, string>> = COMMON,
): Promise<Client> {
  const Class = await clientWith(settings);
  const client = new Class({ connectionString: driverUrl(url), keepAlive: true, ...config });
  // Otherwise a connection that ends between two statements ends the process. The next statement fails.
  client.on('error', () => {});
  return client;
}

/** Sets the limits of a connection outside any pool, unless a pooler would set them for other clients. */
const LIMIT = Object.entries(LIMITS).map(([setting, value]) => `set_config('${setting}', '${value}', false)`);

/** Connects a client outside any pool. */
export async function connect(client: Client): Promise<void> {
  await client.connect();
  const limited = client.query(`SELECT ${LIMIT} WHERE pg_backend_pid() = ${client.processID}`);
  await limited.catch((error) => client.end().then(() => Promise.reject(error)));
}

/** Opens a connection outside any pool. */
export async function connectTo(...how: Parameters<typeof newClient>): Promise<Client> {
  const client = await newClient(...how);
  await connect(client);
  return client;
}

import type { Client, ClientConfig } from 'pg';

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
const COMMON = { DateStyle: 'ISO, MDY', TimeZone: 'UTC' } as const;

/** Further settings of connections to the server itself that change what statements do. Poolers refuse them. */
const DIRECT = {
  // Otherwise a NULL in an array is the text "NULL".
  array_nulls: 'on',
  // Writes have to see the changes of others for which they have waited.
  default_transaction_isolation: 'read committed',
  // Otherwise a search finds only some rows.
  gin_fuzzy_search_limit: '0',
} as const;

/** The values that these settings need behind a pooler, where no connection sets them. */
const NEEDED_BEHIND_POOLER = { DateStyle: COMMON.DateStyle, client_encoding: 'UTF8', ...DIRECT } as const;

/** The values that these settings need and that only a superuser sets: without triggers, nothing is counted. */
const NEEDED = { session_replication_role: 'origin' } as const;

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

/** The settings of a pool's connections. @param pooled whether a pooler passes them on */
export function settingsOf(pooled: boolean): Readonly<Record<string, string>> {
  // To compile a statement takes longer than it saves.
  return pooled ? COMMON : { ...COMMON, ...DIRECT, jit: 'off' };
}

/** A client outside any pool, which is not connected yet. */
export async function newClient(url: string, config: ClientConfig = {}): Promise<Client> {
  return new (await clientWith(COMMON))({ connectionString: url, keepAlive: true, ...config });
}

/** Opens a connection outside any pool. */
export async function connectTo(url: string, config?: ClientConfig): Promise<Client> {
  const client = await newClient(url, config);
  await client.connect();
  return client;
}

/** A connection as the server sees it. */
export interface Session {
  /** Whether it goes through a pooler: the process id sent at the start is not that of the server process that answers. */
  readonly pooled: boolean;
  readonly database: string;
  readonly role: string;
  /** Settings by name. */
  readonly settings: Readonly<Record<string, string>>;
}

const READ_SESSION = `SELECT pg_backend_pid() AS "pid", current_database() AS "database", current_user AS "role",
  (SELECT json_object_agg("name", "setting") FROM pg_settings WHERE "name" = ANY ($1)) AS "settings"`;

/** Returns what the server says of a connection. */
export async function inspect(client: Client): Promise<Session> {
  const names = Object.keys({ ...NEEDED, ...NEEDED_BEHIND_POOLER });
  const { rows } = await client.query<Omit<Session, 'pooled'> & { readonly pid: number }>(READ_SESSION, [
    names,
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('the server does not describe the connection');
  const { pid, ...session } = row;
  return { ...session, pooled: pid !== client.processID };
}

/** The same of a URL. */
export async function inspectUrl(url: string): Promise<Session> {
  const client = await connectTo(url, { connectionTimeoutMillis: 10_000, query_timeout: 10_000 });
  return inspect(client).finally(() => client.end());
}

/** A role or a database has a setting with which values would change silently, and that a connection cannot set. */
export class WrongSetting extends Error {
  readonly session: Session;
  readonly setting: string;
  readonly needed: string;

  constructor(session: Session, setting: string, needed: string) {
    super(`the setting ${setting} is ${session.settings[setting]}`);
    this.session = session;
    this.setting = setting;
    this.needed = needed;
  }
}

/** @throws WrongSetting */
export function requireSettings(session: Session): void {
  const needed = session.pooled ? { ...NEEDED, ...NEEDED_BEHIND_POOLER } : NEEDED;
  for (const [setting, value] of Object.entries(needed)) {
    const found = session.settings[setting] ?? value;
    // The order of day and month only matters where it is ambiguous.
    const isSame = setting === 'DateStyle' ? found.startsWith('ISO') : found === value;
    if (!isSame) throw new WrongSetting(session, setting, value);
  }
}

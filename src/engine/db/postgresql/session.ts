import type { Client } from 'pg';
import { namedSchema } from '../url.ts';
import { COMMON, connectTo, DIRECT } from './client.ts';
import { DEFAULT_SCHEMA } from './schema.ts';

/** The encoding that has all texts. */
export const UTF8 = 'UTF8';

/** The values that these settings need behind a pooler, where no connection sets them. */
const NEEDED_BEHIND_POOLER = { DateStyle: COMMON.DateStyle, client_encoding: UTF8, ...DIRECT } as const;

/** The values that these settings need and that only a superuser sets: without triggers, nothing is counted. */
const NEEDED = { session_replication_role: 'origin' } as const;

/** Tables of the first migration, by which a schema with an installation is known. */
const OWN_TABLES = ['Account', 'ApiKey', 'Revision'];

/** A connection as the server sees it. */
export interface Session {
  /** True for a connection through a pooler: another server process answers than the one that was named at the start. */
  readonly pooled: boolean;
  readonly database: string;
  readonly role: string;
  /** The encoding of the database. */
  readonly encoding: string;
  /** Settings by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** The schema of the installation: that of the URL, or else the first that exists of `search_path`; null if none does. */
  readonly schema: string | null;
  /** True if the schema exists. */
  readonly hasSchema: boolean;
  /** True if the schema has tables of an installation. */
  readonly hasTables: boolean;
  /** True if the schema `public` has tables of an installation. */
  readonly publicHasTables: boolean;
  /** True if names without a schema mean the tables of this one. */
  readonly findsTables: boolean;
}

const hasTables = (schema: string) => `(SELECT COUNT(*) = ${OWN_TABLES.length} FROM pg_tables
  WHERE "schemaname" = ${schema} AND "tablename" IN (${OWN_TABLES.map((table) => `'${table}'`).join()}))`;

const READ_SESSION = `SELECT pg_backend_pid() AS "pid", current_database() AS "database", current_user AS "role",
  current_setting('server_encoding') AS "encoding",
  (SELECT json_object_agg("name", "setting") FROM pg_settings WHERE "name" = ANY ($1)) AS "settings",
  "schema", EXISTS (SELECT 1 FROM pg_namespace WHERE "nspname" = "schema") AS "hasSchema",
  ${hasTables('"schema"')} AS "hasTables", ${hasTables(`'${DEFAULT_SCHEMA}'`)} AS "publicHasTables",
  EXISTS (SELECT 1 FROM pg_class JOIN pg_namespace ON pg_namespace."oid" = "relnamespace"
    WHERE pg_class."oid" = to_regclass('"${OWN_TABLES[0]}"') AND "nspname" = "schema") AS "findsTables"
  FROM (SELECT COALESCE($2::text, current_schema()::text) AS "schema") AS "one"`;

/** Returns what the server says of a connection. @param schema the schema of the installation, if it is known */
export async function inspect(client: Client, schema: string | null): Promise<Session> {
  const names = Object.keys({ ...NEEDED, ...NEEDED_BEHIND_POOLER, search_path: '' });
  const { rows } = await client.query<Omit<Session, 'pooled'> & { readonly pid: number }>(READ_SESSION, [
    names,
    schema,
  ]);
  const [row] = rows;
  if (row === undefined) throw new Error('the server does not describe the connection');
  const { pid, ...session } = row;
  return { ...session, pooled: pid !== client.processID };
}

/** Connects to a URL and returns what the server says. @throws if nothing answers */
export async function inspectUrl(url: string, schema = namedSchema(url)): Promise<Session> {
  const client = await connectTo(url, { connectionTimeoutMillis: 10_000, query_timeout: 10_000 });
  return inspect(client, schema).finally(() => client.end());
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

/** A database has no schema in which the tables of this installation are, or may be made. */
export class WrongSchema extends Error {
  readonly session: Session;

  constructor(session: Session) {
    super(`the schema ${session.schema} has no tables`);
    this.session = session;
  }
}

/** A new database has an encoding that cannot store all texts. */
export class WrongEncoding extends WrongSchema {}

/** The role may make no tables in the schema of the installation, or not the schema. */
export class ForbiddenSchema extends WrongSchema {}

/**
 * Returns the schema of the installation.
 * @param mayBeNew true if it is made beside the installation in `public`
 * @throws WrongSchema if there is none, or only `public` has tables: whose installation it is cannot be known
 * @throws WrongEncoding if tables would be made that cannot have all texts
 */
export function requireSchema(session: Session, mayBeNew = false): string {
  const { schema, hasTables, publicHasTables, encoding } = session;
  if (schema === null || (!hasTables && publicHasTables && !mayBeNew)) throw new WrongSchema(session);
  if (!hasTables && encoding !== UTF8) throw new WrongEncoding(session);
  return schema;
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
  // Triggers in another schema name their own; those in this one find what the connection finds.
  if (session.pooled && session.schema === DEFAULT_SCHEMA && session.hasTables && !session.findsTables)
    throw new WrongSetting(session, 'search_path', DEFAULT_SCHEMA);
}

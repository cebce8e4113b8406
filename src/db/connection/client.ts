import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaClient as SqliteClient } from '../../generated/sqlite/client.ts';
import { readDirectly, type Source, tellTransaction } from './direct.ts';
import { hasPooler } from './postgres.ts';
import { keepPrivate, pathOf } from './sqlite-file.ts';
import { keepsStatements, rawReader } from './sqlite-statements.ts';
import { keepsTransactionsApart } from './sqlite-transactions.ts';
import { namesOfStatements } from './statement-names.ts';

/** The client that the program is written against; the other one takes every call that this one takes. */
export type Db = SqliteClient;
export type Provider = 'sqlite' | 'postgresql';

/** One SQL statement as Prisma sent it, and how long it took. */
export type StatementListener = (sql: string, seconds: number) => void;

export interface Database {
  readonly provider: Provider;
  readonly url: string;
  /** The server itself, for what a pooler does not pass on. */
  readonly directUrl: string;
  /** Whether `url` is a pooler's. */
  readonly pooled: boolean;
  readonly client: Db;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** Which database a URL names: `file:…` is SQLite, `postgres://…` and `postgresql://…` are PostgreSQL, else null. */
export function providerOf(url: string): Provider | null {
  if (/^file:./.test(url)) return 'sqlite';
  if (/^postgres(ql)?:\/\//.test(url)) return 'postgresql';
  return null;
}

/** The form of PostgreSQL's URLs, in words. */
export const POSTGRESQL_URL =
  'postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded';

/** Whether a URL names a database, and can be taken apart where it has parts. */
export function isDatabaseUrl(url: string): boolean {
  if (providerOf(url) !== 'postgresql') return providerOf(url) !== null;
  try {
    const { username, password, pathname } = new URL(url);
    decodeURIComponent(`${username}${password}${pathname}`);
    return true;
  } catch {
    return false;
  }
}

/** The same of a URL that has to name one. @throws Error */
export function requireProvider(url: string): Provider {
  const provider = providerOf(url);
  if (provider === null) throw new Error(`no database has a URL of this form: ${url}`);
  return provider;
}

/** How a process uses PostgreSQL; SQLite has one connection, in the process itself. */
export interface PoolOptions {
  /** How many connections it opens at most. */
  readonly poolSize: number;
  /** After how many milliseconds a statement is given up; 0 for the server's own limit. */
  readonly statementTimeout: number;
}

/** The same, with what stands between. */
interface Pool extends PoolOptions {
  /** Whether a pooler may give each transaction another connection of the server. */
  readonly pooled: boolean;
}

/** How long a request waits for a free connection, or for a new one to open, in milliseconds. */
const CONNECTION_TIMEOUT = 5_000;
/** How much longer than the server we wait for a statement, and how long where the server has no limit, in milliseconds. */
const GRACE = 1_000;
const UNLIMITED_TIMEOUT = 30_000;

/** What `pg` asks of a pool. A server that hangs gives nothing up: so we have limits of our own. */
function poolConfig(connectionString: string, { poolSize, statementTimeout, pooled }: Pool) {
  const timeout = statementTimeout > 0 ? statementTimeout + GRACE : UNLIMITED_TIMEOUT;
  return {
    connectionString,
    max: poolSize,
    keepAlive: true,
    connectionTimeoutMillis: Math.min(CONNECTION_TIMEOUT, timeout),
    query_timeout: timeout,
    // Poolers refuse settings that come when a connection is opened.
    ...(statementTimeout > 0 && !pooled && { statement_timeout: statementTimeout }),
  };
}

/**
 * A new driver adapter for the database at `url`. A SQLite file's folder is made where it is missing. What only the other
 * database needs is not loaded: it would be a tenth of the time that a start takes.
 */
export async function adapterFor(url: string, pool?: Pool): Promise<SqlMigrationAwareDriverAdapterFactory> {
  if (providerOf(url) === 'postgresql') {
    const { PrismaPg } = await import('@prisma/adapter-pg');
    const config = pool ? poolConfig(url, pool) : { connectionString: url };
    // A pooler may give each transaction another connection, which knows no names.
    const keeps = pool !== undefined && !pool.pooled;
    return new PrismaPg(config, keeps ? { statementNameGenerator: namesOfStatements() } : {});
  }
  const { PrismaBetterSqlite3 } = await import('@prisma/adapter-better-sqlite3');
  keepPrivate(pathOf(url));
  // Whoever waits for another process does so by itself: SQLite's own waiting would hold the thread.
  return new PrismaBetterSqlite3({ url, timeout: 0 });
}

/** The same; of SQLite, statements are kept prepared, and nobody is in another's transaction. */
function withOwnConnections(
  factory: SqlMigrationAwareDriverAdapterFactory,
  onConnection: (connection: Source) => void,
): SqlMigrationAwareDriverAdapterFactory {
  const { provider, adapterName } = factory;
  return {
    provider,
    adapterName,
    async connect() {
      const connected = await factory.connect();
      const readRaw = provider === 'sqlite' && rawReader(connected);
      const connection = readRaw ? keepsTransactionsApart(keepsStatements(connected), readRaw) : connected;
      onConnection(connection);
      const { startTransaction } = connection;
      connection.startTransaction = async (isolationLevel) => {
        const transaction = await startTransaction.call(connection, isolationLevel);
        tellTransaction(transaction);
        return transaction;
      };
      return connection;
    },
    connectToShadowDb: () => factory.connectToShadowDb(),
  };
}

type ClientOptions = ConstructorParameters<typeof SqliteClient>[0];

async function postgresqlClient(options: ClientOptions): Promise<SqliteClient<'query'>> {
  const { PrismaClient } = await import('../../generated/postgresql/client.ts');
  // The two clients are generated from one set of models and differ only in what PostgreSQL allows beyond SQLite,
  // which TypeScript cannot see: they are nominally unrelated classes.
  return new PrismaClient(options) as unknown as SqliteClient<'query'>;
}

/** Clients are proxies, of which `instanceof` tells nothing. */
const sqliteClients = new WeakSet<object>();

/** Whether the client, or the transaction, is one of SQLite. */
export function isSqlite(client: object): boolean {
  return sqliteClients.has(client);
}

/** Has `isSqlite` know a client, or a transaction, of SQLite. */
export function markSqlite(client: object): void {
  sqliteClients.add(client);
}

export interface DatabaseOptions {
  readonly pool?: PoolOptions;
  /** The server itself, where `url` is a pooler's. */
  readonly directUrl?: string | undefined;
  /** Hears every statement, for metrics and for tests that count them. */
  readonly onStatement?: StatementListener;
}

/** Opens the database at `url`; nothing is migrated. */
export async function openDatabase(
  url: string,
  { pool, directUrl, onStatement }: DatabaseOptions = {},
): Promise<Database> {
  const provider = requireProvider(url);
  const pooled =
    pool !== undefined && provider === 'postgresql' && (directUrl !== undefined || (await hasPooler(url)));
  const log = onStatement ? [{ emit: 'event' as const, level: 'query' as const }] : [];
  const adapter = await adapterFor(url, pool && { ...pool, pooled });
  let opened: Db | undefined;
  const onConnection = (connection: Source) => {
    if (opened) readDirectly(opened, connection, onStatement);
  };
  const options = { adapter: withOwnConnections(adapter, onConnection), log };
  const client = provider === 'sqlite' ? new SqliteClient(options) : await postgresqlClient(options);
  opened = client;
  // It opens a file, and no connection to a server.
  await client.$connect();
  if (onStatement) client.$on('query', (event) => onStatement(event.query, event.duration / 1000));
  if (provider === 'sqlite') {
    sqliteClients.add(client);
    // Readers and the writer of a file do not block each other in WAL mode; the setting stays with the file.
    await client.$queryRawUnsafe('PRAGMA journal_mode = WAL');
  }
  return {
    provider,
    url,
    directUrl: directUrl ?? url,
    pooled,
    client,
    close: () => client.$disconnect(),
  };
}

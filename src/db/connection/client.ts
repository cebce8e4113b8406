import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaClient as SqliteClient } from '../../generated/sqlite/client.ts';
import { readDirectly, registerTransaction } from './direct.ts';
import { hasPooler } from './postgres.ts';
import { poolReader, transactionReader } from './postgres-reader.ts';
import type { Source } from './source.ts';
import { keepPrivate, pathOf } from './sqlite-file.ts';
import { keepsStatements, rawReader } from './sqlite-statements.ts';
import { keepsTransactionsApart } from './sqlite-transactions.ts';
import { namesOfStatements } from './statement-names.ts';

/** The client type of the program; the PostgreSQL client accepts every call that this one accepts. */
export type Db = SqliteClient;
export type Provider = 'sqlite' | 'postgresql';

/** Called with a SQL statement as Prisma sent it, and its duration. */
export type StatementListener = (sql: string, seconds: number) => void;

export interface Database {
  readonly provider: Provider;
  readonly url: string;
  /** The URL of the server itself, for features that a pooler lacks. */
  readonly directUrl: string;
  /** Whether `url` is a pooler's. */
  readonly pooled: boolean;
  readonly client: Db;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** The provider of a URL: `file:…` is SQLite, `postgres://…` and `postgresql://…` are PostgreSQL, others null. */
export function providerOf(url: string): Provider | null {
  if (/^file:./.test(url)) return 'sqlite';
  if (/^postgres(ql)?:\/\//.test(url)) return 'postgresql';
  return null;
}

/** The form of PostgreSQL's URLs, in words. */
export const POSTGRESQL_URL =
  'postgresql://USER:PASSWORD@HOST:PORT/NAME, with special characters percent-encoded';

/** The forms of the URLs of databases, in words. */
export const DATABASE_URLS = `file:PATH for SQLite, without parameters, or ${POSTGRESQL_URL}`;

/** Whether a URL names a database that can be opened again and, for PostgreSQL, can be parsed. */
export function isDatabaseUrl(url: string): boolean {
  // SQLite takes these for databases that end with their connection.
  if (/^file:(\s|:memory:)/.test(url)) return false;
  // Other programs take parameters there; this one would make a file with that name.
  if (/^file:.*\?/s.test(url)) return false;
  if (providerOf(url) !== 'postgresql') return providerOf(url) !== null;
  try {
    const { username, password, pathname } = new URL(url);
    decodeURIComponent(`${username}${password}${pathname}`);
    return true;
  } catch {
    return false;
  }
}

/** The provider of a database URL. @throws Error if it has none */
export function requireProvider(url: string): Provider {
  const provider = providerOf(url);
  if (provider === null) throw new Error(`no database has a URL of this form: ${url}`);
  return provider;
}

/** The connection pool of PostgreSQL; SQLite has one connection, in the process itself. */
export interface PoolOptions {
  /** The maximum number of connections. */
  readonly poolSize: number;
  /** After how many milliseconds a statement is cancelled; 0 for the server's own limit. */
  readonly statementTimeout: number;
}

/** The same, and whether there is a pooler. */
interface Pool extends PoolOptions {
  /** Whether a pooler may give each transaction another connection of the server. */
  readonly pooled: boolean;
}

/** How long a request waits for a free connection, or for a new one to open, in milliseconds. */
const CONNECTION_TIMEOUT = 5_000;
/** How much longer than the server's limit we wait for a statement, and how long without such a limit, in milliseconds. */
const GRACE = 1_000;
const UNLIMITED_TIMEOUT = 30_000;

/** The options of `pg`'s pool. A server that hangs cancels nothing, so the client has limits of its own. */
function poolConfig(connectionString: string, { poolSize, statementTimeout, pooled }: Pool) {
  const timeout = statementTimeout > 0 ? statementTimeout + GRACE : UNLIMITED_TIMEOUT;
  return {
    connectionString,
    max: poolSize,
    keepAlive: true,
    pipeline: !pooled,
    connectionTimeoutMillis: Math.min(CONNECTION_TIMEOUT, timeout),
    query_timeout: timeout,
    // Poolers refuse settings in the startup message of a connection.
    ...(statementTimeout > 0 && !pooled && { statement_timeout: statementTimeout }),
  };
}

/**
 * A new driver adapter for the database at `url`. Creates the folder of a SQLite file. Libraries of the other database are
 * not loaded: that would take a tenth of the start's time.
 */
export async function adapterFor(url: string, pool?: Pool): Promise<SqlMigrationAwareDriverAdapterFactory> {
  if (providerOf(url) === 'postgresql') {
    const { PrismaPg } = await import('@prisma/adapter-pg');
    const config = pool ? poolConfig(url, pool) : { connectionString: url };
    // A pooler may give each transaction another connection, which does not have the named statements.
    const keeps = pool !== undefined && !pool.pooled;
    return new PrismaPg(config, keeps ? { statementNameGenerator: namesOfStatements() } : {});
  }
  const { PrismaBetterSqlite3 } = await import('@prisma/adapter-better-sqlite3');
  keepPrivate(pathOf(url));
  // `whenUnlocked` waits for other processes: SQLite's own busy timeout would block the thread.
  return new PrismaBetterSqlite3({ url, timeout: 0 });
}

/** Adds direct reads; for SQLite also prepared statements, and isolation of transactions. */
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
      const connection = readRaw
        ? keepsTransactionsApart(keepsStatements(connected), readRaw)
        : Object.assign(connected, { readRaw: poolReader(connected) });
      onConnection(connection);
      const { startTransaction } = connection;
      connection.startTransaction = async (isolationLevel) => {
        const transaction = await startTransaction.call(connection, isolationLevel);
        // A transaction on SQLite must not wait for its own end, as other statements do.
        const reads = readRaw
          ? async (sql: string, args: readonly unknown[]) => readRaw(sql, args)
          : transactionReader(transaction);
        const source = Object.assign(transaction, { readRaw: reads });
        registerTransaction(source);
        return source;
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

/** Clients are proxies, so `instanceof` does not work. */
const sqliteClients = new WeakSet<object>();

/** Whether the client or transaction is SQLite's. */
export function isSqlite(client: object): boolean {
  return sqliteClients.has(client);
}

/** Marks a client or transaction as SQLite's, for `isSqlite`. */
export function markSqlite(client: object): void {
  sqliteClients.add(client);
}

export interface DatabaseOptions {
  readonly pool?: PoolOptions;
  /** The URL of the server itself, if `url` is a pooler's. */
  readonly directUrl?: string | undefined;
  /** Called for every statement, for metrics and for tests that count them. */
  readonly onStatement?: StatementListener;
}

/** Opens the database at `url`, without migrating it. */
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
  // Opens the file of SQLite; PostgreSQL connections are opened later.
  await client.$connect();
  if (onStatement) client.$on('query', (event) => onStatement(event.query, event.duration / 1000));
  if (provider === 'sqlite') {
    sqliteClients.add(client);
    // Readers and the writer of a file do not block each other in WAL mode; the setting stays with the file.
    await client.$queryRawUnsafe('PRAGMA journal_mode = WAL');
    // Writes to a link keep what they may have to undo in a temporary file otherwise, which takes half of their time.
    await client.$queryRawUnsafe('PRAGMA temp_store = MEMORY');
    // What is deleted, such as the hashes of visitors, would stay readable in the file; this costs nothing that can be measured.
    await client.$queryRawUnsafe('PRAGMA secure_delete = ON');
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

import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaClient as SqliteClient } from '../../generated/sqlite/client.ts';
import { adapterFor, type PoolOptions } from './adapter.ts';
import { type Db, type StatementListener, setHandle } from './db.ts';
import { hasPooler } from './postgres.ts';
import { registerTransaction } from './raw-reads.ts';
import type { ReadsRaw, Source } from './raw-source.ts';
import { driverOf } from './sqlite-driver.ts';
import { pathOf } from './sqlite-file.ts';
import { SqliteReads } from './sqlite-reads.ts';
import { rawReader } from './sqlite-statements.ts';
import { isolateTransactions } from './sqlite-transactions.ts';
import { type Provider, requireProvider } from './url.ts';

export interface Database {
  readonly provider: Provider;
  readonly url: string;
  /** The URL of the server itself, for features that a pooler lacks. */
  readonly directUrl: string;
  readonly pooled: boolean;
  readonly client: Db;
  close(): Promise<void>;
}

type Factory = SqlMigrationAwareDriverAdapterFactory;
type Connection = Awaited<ReturnType<Factory['connect']>>;
type Transaction = Awaited<ReturnType<Connection['startTransaction']>>;

/** A connection with direct reads, and the direct reads of its transactions. */
interface Direct {
  readonly connection: Connection & Source;
  readerOf(transaction: Transaction): Source['readRaw'];
}

/** For SQLite also with isolation of transactions. */
async function direct(
  provider: Factory['provider'],
  connected: Connection,
  long: ReadsRaw | undefined,
  deadlockTimeout?: number,
): Promise<Direct> {
  if (provider === 'sqlite') {
    const readRaw = rawReader(driverOf(connected));
    // A transaction on SQLite must not wait for its own end, as other statements do.
    const read: Source['readRaw'] = async (sql, args) => readRaw(sql, args);
    const connection = isolateTransactions(connected, readRaw, deadlockTimeout);
    return { connection: Object.assign(connection, { long }), readerOf: () => read };
  }
  // SQLite does not need the driver, which takes time to load.
  const { poolReader, transactionReader } = await import('./postgres-reader.ts');
  return {
    connection: Object.assign(connected, { readRaw: poolReader(connected) }),
    readerOf: transactionReader,
  };
}

function withRawReads(
  factory: Factory,
  long: ReadsRaw | undefined,
  onConnection: (connection: Source) => void,
  deadlockTimeout?: number,
): Factory {
  const { provider, adapterName } = factory;
  return {
    provider,
    adapterName,
    async connect() {
      const { connection, readerOf } = await direct(provider, await factory.connect(), long, deadlockTimeout);
      onConnection(connection);
      const { startTransaction } = connection;
      connection.startTransaction = async (isolationLevel) => {
        const transaction = await startTransaction.call(connection, isolationLevel);
        const source = Object.assign(transaction, { readRaw: readerOf(transaction) });
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

export interface DatabaseOptions {
  readonly pool?: PoolOptions;
  /** The URL of the server itself, if `url` is a pooler's. */
  readonly directUrl?: string | undefined;
  /** Called for every statement, for metrics and for tests that count them. */
  readonly onStatement?: StatementListener;
  /** After how many milliseconds a transaction on SQLite that waits for itself is ended. */
  readonly deadlockTimeout?: number;
}

export async function openDatabase(
  url: string,
  { pool, directUrl, onStatement, deadlockTimeout }: DatabaseOptions = {},
): Promise<Database> {
  const provider = requireProvider(url);
  const pooled =
    pool !== undefined && provider === 'postgresql' && (directUrl !== undefined || (await hasPooler(url)));
  const log = onStatement ? [{ emit: 'event' as const, level: 'query' as const }] : [];
  const adapter = await adapterFor(url, pool && { ...pool, pooled });
  let opened: Db | undefined;
  const onConnection = (connection: Source) => {
    if (opened) setHandle(opened, { source: connection, onStatement });
  };
  const longReads = provider === 'sqlite' ? new SqliteReads(pathOf(url)) : undefined;
  const options = { adapter: withRawReads(adapter, longReads, onConnection, deadlockTimeout), log };
  const client = provider === 'sqlite' ? new SqliteClient(options) : await postgresqlClient(options);
  opened = client;
  // Opens the file of SQLite; PostgreSQL connections are opened later.
  await client.$connect();
  if (onStatement) client.$on('query', (event) => onStatement(event.query, event.duration / 1000));
  if (provider === 'sqlite') {
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
    async close() {
      await longReads?.close();
      await client.$disconnect();
    },
  };
}

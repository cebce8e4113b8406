import type { SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { keepPrivate, pathOf } from './sqlite-file.ts';
import { namesOfStatements } from './statement-names.ts';
import { providerOf } from './url.ts';

/** The connection pool of PostgreSQL; SQLite has one connection, in the process itself. */
export interface PoolOptions {
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
/** How long the client waits for a statement beyond the server's limit, and in all if there is none, in milliseconds. */
const CANCEL_GRACE = 1_000;
const UNLIMITED_TIMEOUT = 30_000;

/** The options of `pg`'s pool. A server that hangs cancels nothing, so the client has limits of its own. */
function poolConfig(connectionString: string, { poolSize, statementTimeout, pooled }: Pool) {
  const timeout = statementTimeout > 0 ? statementTimeout + CANCEL_GRACE : UNLIMITED_TIMEOUT;
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

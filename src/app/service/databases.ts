import type { Logger } from 'pino';
import { Database } from '../../db/database.ts';
import { settleEpoch } from '../../engine/changes/log.ts';
import { withHints } from '../../engine/db/error-hints.ts';
import { lackingIn } from '../../engine/db/migration-state.ts';
import { DEFAULT_SCHEMA } from '../../engine/db/postgresql/schema.ts';
import { pendingMigrations } from '../../engine/db/readable.ts';
import { fileExists } from '../../engine/db/sqlite/file.ts';
import { namedSchema, requireProvider, withSchema } from '../../engine/db/url.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { RepeatedFault } from '../../engine/tools/repeated-fault.ts';
import { withTimeout } from '../../engine/tools/timeout.ts';
import { tracer } from '../../engine/tools/tracing.ts';
import type { Config } from '../config.ts';
import type { Metrics } from './metrics.ts';
import type { Ports } from './ports.ts';

/** Milliseconds for which connections to a database may take to close. */
const CLOSE_TIMEOUT = 2_000;

export async function closeAll(databases: readonly Database[]): Promise<void> {
  await withTimeout(CLOSE_TIMEOUT, Promise.all(databases.map((one) => one.close())));
}

const NEVER_SERVED =
  'ROLE is "redirects", but the database lacks migrations, or was never served: start a process with ROLE=all first.';

/**
 * The schema of PostgreSQL's tables: that of the database, or, for visitors, of the first server that answers. One that is
 * away now does not say which it would be.
 */
async function readSchema({ databaseUrl, databaseReadUrls, role }: Config): Promise<string | null> {
  const named = namedSchema(databaseUrl);
  if (named !== null || requireProvider(databaseUrl) === 'sqlite') return named;
  const { inspectUrl } = await import('../../engine/db/postgresql/session.ts');
  if (role === 'all') return (await inspectUrl(databaseUrl)).schema;
  const answers = [databaseUrl, ...databaseReadUrls].map((url) => inspectUrl(url));
  return Promise.any(answers).then(
    ({ schema }) => schema,
    () => null,
  );
}

/** The database, and its replicas to read from. For visitors, any of them may be away. */
export async function openDatabases(
  config: Config,
  { log, startLog, onStatement, freeBytes }: Ports,
  metrics: Metrics | undefined,
): Promise<[Database, ...Database[]]> {
  const { databaseUrl, databaseDirectUrl: directUrl, databaseReadUrls, pool, role } = config;
  // To open it would make it.
  if (role === 'redirects' && requireProvider(databaseUrl) === 'sqlite' && !fileExists(databaseUrl))
    throw new OperatorError(NEVER_SERVED);
  const schema = await readSchema(config);
  const open = (variable: string, url: string, options = {}) => {
    const fewer = new RepeatedFault(log, 'PostgreSQL grants fewer connections than DATABASE_POOL_SIZE');
    return Database.open(schema === DEFAULT_SCHEMA ? url : withSchema(url, schema), {
      pool,
      onPoolSize(connections, refusal) {
        if (connections === pool.poolSize) fewer.ended();
        else fewer.occurred(refusal, () => ({ variable, connections, wanted: pool.poolSize }));
      },
      freeBytes,
      mayBeAway: role === 'redirects',
      ...((onStatement || metrics || tracer) && {
        onStatement(sql: string, seconds: number) {
          metrics?.statement(seconds);
          tracer?.statement(sql, seconds, requireProvider(url));
          onStatement?.(sql, seconds, url);
        },
      }),
      ...options,
    });
  };
  const opening: [Promise<Database>, ...Promise<Database>[]] = [
    open('DATABASE_URL', databaseUrl, { directUrl }),
    ...databaseReadUrls.map((url) =>
      withHints('DATABASE_READ_URLS', url, () => open('DATABASE_READ_URLS', url, { mayBeAway: true })),
    ),
  ];
  try {
    const databases = await Promise.all(opening);
    await checkDatabases(config, databases, startLog);
    return databases;
  } catch (error) {
    const results = await Promise.allSettled(opening);
    await closeAll(results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    throw error;
  }
}

/** Warns of what databases lack. @throws OperatorError if the start needs it */
async function checkDatabases(
  { databaseDirectUrl: directUrl, role }: Config,
  [database, ...replicas]: readonly [Database, ...Database[]],
  startLog: Logger,
): Promise<void> {
  for (const [index, { encoding }] of [database, ...replicas].entries()) {
    const lacking = lackingIn(encoding);
    const variable = index === 0 ? 'DATABASE_URL' : 'DATABASE_READ_URLS';
    if (lacking !== null) startLog.warn({ variable }, `the database ${lacking}`);
  }
  if (role === 'redirects') return;
  if (database.pooled && directUrl === undefined)
    startLog.warn(
      'DATABASE_URL is a connection pooler’s: without DATABASE_DIRECT_URL, changes are found by polling, and migrations cannot be made',
    );
  const { length: lacking } = directUrl === undefined ? [] : await pendingMigrations(database);
  if (lacking > 0)
    throw new OperatorError(
      `The schema "${database.schema}" of DATABASE_URL lacks ${lacking} migrations, which DATABASE_DIRECT_URL has: both must name one database, and one ?schema=.`,
    );
  await settleEpoch(database);
}

/** The id of the default domain, from the first database that has it. @throws OperatorError if none is prepared */
export async function readDefaultDomain(databases: readonly Database[]): Promise<number> {
  const read = async (db: Database): Promise<number> => {
    const isPrepared = (await pendingMigrations(db)).length === 0;
    const domain = isPrepared ? await db.prisma.domain.findFirst({ where: { isDefault: true } }) : null;
    if (domain !== null) return domain.id;
    throw new OperatorError(NEVER_SERVED);
  };
  return Promise.any(databases.map(read)).catch(({ errors }: AggregateError) => Promise.reject(errors[0]));
}

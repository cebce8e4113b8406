import './require-node.js';

import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import {
  allValid,
  type Config,
  ConfigError,
  migratedDatabase,
  misspelt,
  readConfig,
  shown,
} from './config.ts';
import { settleEra } from './db/change/log.ts';
import { adviceOn, advised } from './db/connection/advice.ts';
import { openDatabase } from './db/connection/client.ts';
import type { Db } from './db/connection/db.ts';
import { applyMigrations, type MigrationProgress, migrationStateOf } from './db/migrate.ts';
import { createFirstKey } from './domain/access/api-key.ts';
import { HostHeld, shareDefaultDomain } from './domain/domain/default-domain.ts';
import { hashPassword } from './domain/password.ts';
import { stopperOf } from './http/limits/stop.ts';
import { listen } from './http/listen.ts';
import type { Metrics } from './http/metrics.ts';
import { greeting } from './http/pages/greeting.ts';
import { countryLookup } from './http/request/country.ts';
import { createHttpServer, holdRequests } from './http/server.ts';
import { createLog, createStartLog, exit, type LogOptions } from './log.ts';
import { OperatorError } from './operator-error.ts';
import { readOperatorFiles } from './operator-files.ts';
import { createResolveHost, resolveTxt } from './outgoing/resolve.ts';
import { oneLine } from './shared/one-line.ts';
import { within } from './shared/timeout.ts';
import { VERSION } from './version.ts';
import { ownWorker, servePrimary } from './workers/worker.ts';

/** How long the stop waits for pending writes, and for connections to close, in milliseconds. */
const STOP_TIMEOUT = 8_000;
const CLOSE_TIMEOUT = 2_000;
/** When a stop that hangs is ended, in milliseconds. */
const LAST_DEADLINE = 30_000;

const now = () => new Date();

/** A handler that throws the error for an unusable file of a variable. */
function refused(variable: string, path: string | undefined, allowed: string): (error: unknown) => never {
  return (error) => {
    throw new ConfigError(
      `${variable} is ${shown(variable, path ?? '')}; it must be the path of ${allowed}: ${oneLine(error)}.`,
    );
  };
}

/** The port that a server listens on; null if it does not listen yet. */
function portOf(server: Server): number | null {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : null;
}

/** The files that the configuration names. */
function readFiles(config: Config, log: Logger) {
  const { countryHeader, geoipDatabase, trustedDocuments } = config;
  const readTrusted = async (path: string) => {
    const { readTrustedDocuments } = await import('./schema/server/trusted-documents.ts');
    return readTrustedDocuments(path).catch(
      refused('TRUSTED_DOCUMENTS', path, 'a file of documents that the schema allows'),
    );
  };
  return allValid([
    countryLookup(countryHeader, geoipDatabase).catch(
      refused('GEOIP_DATABASE', geoipDatabase, 'a readable .mmdb file'),
    ),
    trustedDocuments === undefined ? undefined : readTrusted(trustedDocuments),
    readOperatorFiles(config, log),
  ] as const);
}

async function migrate(config: Config, log: Logger): Promise<void> {
  const migrated = migratedDatabase(config);
  const progress: MigrationProgress = {
    begins: (migration, number, of) => log.info({ migration, number, of }, 'applying migration'),
    waits: () => log.info('another process migrates the database: waiting for it'),
  };
  for (const migration of await advised(...migrated, (url) => applyMigrations(url, progress)))
    log.info({ migration }, 'migration applied');
  const { unknown } = await advised(...migrated, migrationStateOf);
  if (unknown.length > 0)
    log.warn({ migrations: unknown }, 'a newer version has migrated the database; this one may not fit it');
}

/** Opens the database and its replicas. */
async function openDatabases(config: Config, log: Logger, metrics: Metrics | undefined) {
  const { pool, databaseDirectUrl: directUrl } = config;
  const onStatement = metrics && ((_sql: string, seconds: number) => metrics.statement(seconds));
  const database = await openDatabase(config.databaseUrl, { pool, directUrl, onStatement });
  if (database.pooled && directUrl === undefined)
    log.warn(
      'DATABASE_URL is a connection pooler’s: without DATABASE_DIRECT_URL, changes are found by polling, and migrations cannot be made',
    );
  await settleEra(database.client);
  const replicas = await Promise.all(
    config.databaseReadUrls.map((url) =>
      advised('DATABASE_READ_URLS', url, () => openDatabase(url, { pool, onStatement })),
    ),
  );
  return { database, replicas };
}

/** Makes the base URL's host the default domain, and gives its id. */
async function settleDefaultDomain(config: Config, db: Db, baseUrl: string, log: Logger): Promise<number> {
  const { host } = new URL(baseUrl);
  const notFoundUrl = config.notFoundUrl ?? null;
  const { id, renamed } = await shareDefaultDomain(db, host, notFoundUrl, now()).catch((error: unknown) => {
    if (!(error instanceof HostHeld)) throw error;
    throw new ConfigError(
      `BASE_URL is "${baseUrl}", but the account "${error.account}" has that host as a domain: use another URL, or remove the domain from the account: npm run domains -- remove ${error.host}`,
    );
  });
  if (renamed)
    log.info(
      { from: renamed.from, to: host, links: renamed.links },
      'default domain renamed to the host of BASE_URL: its links work under the new host',
    );
  return id;
}

async function start(config: Config, log: Logger, startLog: Logger): Promise<void> {
  const worker = ownWorker();
  startLog.info({ version: VERSION, node: process.version }, 'Linkspace starts');
  const [countryOf, trusted, operatorFiles] = await readFiles(config, log);
  // With workers, the primary has done this.
  if (worker === undefined) {
    for (const { name, meant } of misspelt(process.env))
      startLog.warn({ variable: name }, `unknown variable: did you mean ${meant}?`);
    await migrate(config, startLog);
  }
  if (config.workers > 1 && worker === undefined) {
    const { supervise } = await import('./workers/primary.ts');
    return supervise(config, log, import.meta.filename);
  }
  // Loaded only if needed, since loading takes time.
  const metrics =
    config.metricsPort === undefined ? undefined : new (await import('./http/metrics.ts')).Metrics();
  const { database, replicas } = await openDatabases(config, startLog, metrics);

  // Loaded here, like other parts, since the primary of workers does not need them.
  const { createApp } = await import('./app.ts');
  // The ports are opened before the default domain changes: a start that fails must leave a running service as it is.
  const metricsServer = metrics && !worker && createServer(metrics.listener(log));
  const http = createHttpServer();
  const stopServer = stopperOf(http);
  const answerHeld = holdRequests(http);
  await allValid([
    listen(http, 'PORT', config.port, config.host),
    metricsServer &&
      config.metricsPort &&
      listen(metricsServer, 'METRICS_PORT', config.metricsPort, config.host),
  ]);
  const port = portOf(http) ?? config.port;
  const baseUrl = config.baseUrl ?? `http://localhost:${port}`;
  const defaultDomainId = await settleDefaultDomain(config, database.client, baseUrl, startLog);
  const app = createApp({
    ...config,
    database,
    replicas,
    baseUrl,
    defaultDomainId,
    log,
    now,
    random: randomInt,
    hashPassword,
    resolveTxt,
    resolveHost: createResolveHost(),
    countryOf,
    metrics,
    trusted,
    lists: operatorFiles.lists,
  });
  app.start();
  operatorFiles.start();
  // Only now: if the start failed, a new key would not be printed, and would be lost. A key that is given is there before any
  // process answers.
  const { initialApiKey } = config;
  const createsKey = worker === undefined || worker.id === 1 || initialApiKey !== undefined;
  const firstKey = createsKey && (await createFirstKey(database.client, now(), initialApiKey));
  app.attachTo(http);
  answerHeld();
  if (firstKey)
    process.stdout.write(greeting(initialApiKey === undefined ? firstKey : null, { ...config, port }));
  log.info({ host: config.host, port, baseUrl, database: database.provider }, 'listening');

  let stopping = false;
  const stop = async (signal: NodeJS.Signals | 'primary ended') => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_DEADLINE).unref();
    log.info({ signal }, 'stopping');
    app.endSubscriptions();
    await stopServer();
    if (metricsServer) metricsServer.close();
    // A database that hangs must not delay the exit, or the supervisor would kill the process.
    await within(STOP_TIMEOUT, Promise.all([app.stop(), operatorFiles.stop()]));
    await within(CLOSE_TIMEOUT, Promise.all([database, ...replicas].map((one) => one.close())));
    log.info('stopped');
    await exit(0, log);
  };
  // A rejection that nobody handles must not end the process with all its requests.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unexpected error'));
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  if (worker) servePrimary(worker, metrics, () => stop('primary ended'));
}

/** Why the program could not start, for the operator: one line, or a line for each wrong variable. */
function explain(error: unknown, config: Config | null): string {
  if (error instanceof OperatorError) return error.message;
  const advice = config && adviceOn(error, config.databaseUrl, 'DATABASE_URL');
  return advice ?? `Linkspace could not start: ${oneLine(error)}`;
}

const USAGE = `Usage: npm start

Starts the service, and migrates its database. Environment variables configure it: see docs/operations.md.
`;

const answers = new Map([
  ['--version', `${VERSION}\n`],
  ['--help', USAGE],
]);

/** The arguments are for people: the service itself has none. Ends the process if there are any. */
function endWithArguments([first]: readonly string[]): void {
  if (first === undefined) return;
  const answer = answers.get(first);
  if (answer === undefined)
    process.stderr.write(`npm start takes no arguments, but got ${shown('', first)}. See --help.\n`);
  else process.stdout.write(answer);
  process.exit(answer === undefined ? 1 : 0);
}

if (ownWorker() === undefined) endWithArguments(process.argv.slice(2));
let config: Config | null = null;
let log: Logger | null = null;
try {
  config = readConfig(process.env);
  const options: LogOptions = {
    level: config.logLevel,
    worker: ownWorker()?.id,
    shared: config.workers > 1,
  };
  log = createLog(options);
  await start(config, log, createStartLog(options));
} catch (error) {
  process.stderr.write(`${explain(error, config)}\n`);
  if (log) await exit(1, log);
  process.exit(1);
}

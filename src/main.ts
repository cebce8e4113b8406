import { hintFor } from './db/error-hints.ts';
import './require-node.js';

import { randomInt } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import { type Config, misspelt, readConfig } from './config.ts';
import { allValid, shown } from './config-error.ts';
import { createFirstKey } from './domain/access/api-key.ts';
import { hashPassword } from './domain/password.ts';
import { listen } from './http/bind-port.ts';
import { createStopper } from './http/limits/stop-server.ts';
import { greeting } from './http/pages/greeting.ts';
import { createHttpServer, holdRequests } from './http/server.ts';
import { createLog, createStartLog, exit, type LogOptions } from './log.ts';
import { OperatorError } from './operator-error.ts';
import { createResolveHost, resolveTxt } from './outgoing/resolve.ts';
import { VERSION } from './own-files.ts';
import { oneLine } from './shared/one-line.ts';
import { withTimeout } from './shared/timeout.ts';
import { migrate, notePixels, openDatabases, readFiles, settleDefaultDomain } from './start/prepare.ts';
import { stopOnSignal } from './start/stop.ts';
import { ownWorker, servePrimary } from './workers/worker.ts';

/** How long the stop waits for pending writes, and for connections to close, in milliseconds. */
const STOP_TIMEOUT = 8_000;
const CLOSE_TIMEOUT = 2_000;

const now = () => new Date();

function portOf(server: Server): number | null {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : null;
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
  const metricsServer =
    metrics &&
    !worker &&
    createServer((await import('./http/metrics-listener.ts')).metricsListener(() => metrics.text(), log));
  const http = createHttpServer();
  const stopServer = createStopper(http);
  const answerHeld = holdRequests(http);
  await allValid([
    listen(http, 'PORT', config.port, config.host),
    metricsServer &&
      config.metricsPort &&
      listen(metricsServer, 'METRICS_PORT', config.metricsPort, config.host),
  ]);
  const port = portOf(http) ?? config.port;
  const baseUrl = config.baseUrl ?? `http://localhost:${port}`;
  const defaultDomainId = await settleDefaultDomain(config, database, baseUrl, startLog);
  const app = createApp({
    ...config,
    database,
    replicas,
    baseUrl,
    port,
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
  // The first key is created last: if the start failed later, the key would be lost without being printed. With
  // INITIAL_API_KEY, every process makes sure that it exists before it answers.
  const { initialApiKey } = config;
  const isFirst = worker === undefined || worker.id === 1;
  const createsKey = isFirst || initialApiKey !== undefined;
  const firstKey = createsKey && (await createFirstKey(database, now(), initialApiKey));
  if (isFirst) await notePixels(database, startLog);
  app.attachTo(http);
  answerHeld();
  if (firstKey) process.stdout.write(greeting(initialApiKey === undefined ? firstKey : null, config, port));
  log.info({ host: config.host, port, baseUrl, database: database.provider }, 'listening');

  const stop = stopOnSignal(log, async () => {
    app.endSubscriptions();
    await stopServer();
    if (metricsServer) metricsServer.close();
    // A database that hangs must not delay the exit, or the supervisor would kill the process.
    await withTimeout(STOP_TIMEOUT, Promise.all([app.stop(), operatorFiles.stop()]));
    await withTimeout(CLOSE_TIMEOUT, Promise.all([database, ...replicas].map((one) => one.close())));
  });
  if (worker) servePrimary(worker, metrics, () => stop('primary ended'));
}

/** Why the program could not start, for the operator: one line, or a line for each wrong variable. */
function explain(error: unknown, config: Config | null): string {
  if (error instanceof OperatorError) return error.message;
  const hint = config && hintFor(error, config.databaseUrl, 'DATABASE_URL');
  return hint ?? `Linkspace could not start: ${oneLine(error)}`;
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

// A closed output must not end the service.
process.stdout.on('error', () => {});
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

import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { pino } from 'pino';
import { createApp } from './app.ts';
import { type Config, ConfigError, readConfig } from './config.ts';
import { openDatabase } from './db/client.ts';
import { applyMigrations } from './db/migrate.ts';
import { createFirstKey } from './domain/api-key.ts';
import { shareDefaultDomain } from './domain/domain.ts';
import { hashPassword } from './domain/password.ts';
import { countryLookup } from './http/country.ts';
import { greeting } from './http/greeting.ts';
import { patience } from './http/guard.ts';
import { stopServer } from './http/stop.ts';
import { oneLine } from './one-line.ts';
import { readTrustedDocuments } from './schema/trusted-documents.ts';

// V8 lets a heap grow to four times of what lives in it where it may take as much memory as on most servers, and gives little
// of it back: pages that were full once stay, each with less in it. Half more, and moving what lives together, costs no
// throughput that could be measured, and keeps the process at two thirds of the memory.
setFlagsFromString('--heap-growing-percent=50');
setFlagsFromString('--compact-on-every-full-gc');

const now = () => new Date();

/** The time of a log line, as JSON; the many lines of a millisecond share it. */
function timeOfLines(): () => string {
  let at = 0;
  let text = '';
  return () => {
    const time = Date.now();
    if (time !== at) text = `,"time":"${new Date(time).toISOString()}"`;
    at = time;
    return text;
  };
}

/** What is thrown where the file that a variable names could not be used. */
function refused(variable: string, path: string | undefined, allowed: string): (error: unknown) => never {
  return (error) => {
    throw new ConfigError(`${variable} is "${path}"; it must be the path of ${allowed}: ${oneLine(error)}.`);
  };
}

async function start(config: Config): Promise<void> {
  const options = { level: config.logLevel, base: null, timestamp: timeOfLines() };
  // Lines are written together, within a tenth of a second or at the end: a write for each costs a redirect a quarter of
  // its time, and would wait for a reader that is slow.
  const log = pino(options, pino.destination({ sync: false, minLength: 4096, periodicFlush: 100 }));
  const { countryHeader, geoipDatabase, trustedDocuments } = config;
  const countryOf = await countryLookup(countryHeader, geoipDatabase).catch(
    refused('GEOIP_DATABASE', geoipDatabase, 'a readable .mmdb file'),
  );
  const trusted =
    trustedDocuments === undefined
      ? undefined
      : await readTrustedDocuments(trustedDocuments).catch(
          refused('TRUSTED_DOCUMENTS', trustedDocuments, 'a file of documents that the schema allows'),
        );
  for (const migration of await applyMigrations(config.databaseUrl))
    log.info({ migration }, 'migration applied');
  const { pool } = config;
  // Loaded where it is asked for alone, since to load it takes time from every other start.
  const metrics =
    config.metricsPort === undefined ? undefined : new (await import('./http/metrics.ts')).Metrics();
  const onStatement = metrics && ((_sql: string, seconds: number) => metrics.statement(seconds));
  const database = await openDatabase(config.databaseUrl, { pool, onStatement });
  const replicas = await Promise.all(
    config.databaseReadUrls.map((url) => openDatabase(url, { pool, onStatement })),
  );

  // The port may be the system's choice, and the base URL follows it.
  const http = createServer(patience);
  http.listen(config.port, config.host);
  await once(http, 'listening');
  const { port } = http.address() as AddressInfo; // A server that listens on a port has such an address.
  const baseUrl = config.baseUrl ?? `http://localhost:${port}`;
  const defaultDomainId = await shareDefaultDomain(database.client, new URL(baseUrl).host, now());
  const dependencies = {
    ...config,
    database,
    replicas,
    baseUrl,
    defaultDomainId,
    log,
    now,
    random: randomInt,
    hashPassword,
    countryOf,
    metrics,
    trusted,
  };
  const app = createApp(dependencies);
  http.on('request', app.listener);
  app.start();
  const metricsServer = metrics && createServer(metrics.listener).listen(config.metricsPort, config.host);
  if (metricsServer) await once(metricsServer, 'listening');
  const firstKey = await createFirstKey(database.client, now(), config.initialApiKey);
  if (firstKey !== null) process.stdout.write(greeting(firstKey, config.host, port, config.graphiql));
  log.info({ host: config.host, port, baseUrl, database: database.provider }, 'listening');

  let stopping = false;
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    await stopServer(http);
    metricsServer?.close();
    await app.stop();
    await Promise.all([database, ...replicas].map((one) => one.close()));
    log.info('stopped');
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

try {
  await start(readConfig(process.env));
} catch (error) {
  const lines = error instanceof ConfigError ? error.message : `Linkspace could not start: ${oneLine(error)}`;
  process.stderr.write(`${lines}\n`);
  process.exit(1);
}

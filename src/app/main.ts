import './require-node.js';

import type { Logger } from 'pino';
import { hintFor } from '../engine/db/error-hints.ts';
import { createLog, createStartLog, exit, type LogOptions } from '../engine/tools/log.ts';
import { oneLine } from '../engine/tools/one-line.ts';
import { InvalidSettings, OperatorError, shown, WRONG_SETTINGS } from '../engine/tools/operator-error.ts';
import { sendsTraces } from '../engine/tools/otel-variables.ts';
import { BUILD, BUILD_NAME } from '../engine/tools/own-files.ts';
import { printable } from '../engine/tools/printable.ts';
import { onStopSignals, Stopping } from '../engine/tools/stop-signals.ts';
import { tracer, traceWith } from '../engine/tools/tracing.ts';
import { type Config, misspelt, readConfig, unusualEnvironment } from './config.ts';
import { withOwnCommands } from './own-commands.ts';
import { migrate, readFiles } from './prepare.ts';
import { createWhenGranted, giveSigns, ownWorker, servePrimary } from './workers/worker.ts';

async function serve(config: Config, log: Logger, startLog: Logger): Promise<void> {
  const worker = ownWorker();
  startLog.info({ ...BUILD, node: process.version }, 'Linkspace starts');
  if (worker === undefined) {
    for (const { name, meant } of misspelt(process.env))
      startLog.warn({ variable: name }, `unknown variable: did you mean ${meant}?`);
    const value = unusualEnvironment(process.env);
    if (value !== null) startLog.warn({ variable: 'NODE_ENV', value }, 'it counts as production');
    if (!config.sideEffects)
      startLog.warn(
        { variable: 'SIDE_EFFECTS' },
        'side effects are off: nothing goes out, webhooks and mails wait, and nothing old is deleted',
      );
  }
  if (config.workers > 1 && worker === undefined) {
    await readFiles(config, log);
    await migrate(config, startLog);
    const { supervise } = await import('./workers/primary.ts');
    return supervise(config, log, import.meta.filename);
  }
  if (worker) giveSigns(worker);
  // The primary of workers does not need the service, and loading takes time.
  const { Service } = await import('./service.ts');
  // The primary serves the metrics of its workers.
  const metrics =
    worker && config.metricsPort !== undefined
      ? new (await import('./service/metrics.ts')).Metrics()
      : undefined;
  const create = () => Service.create(config, { log, startLog, worker: worker?.id, metrics });
  const service = await (worker ? createWhenGranted(log, create) : create());
  await service.start();
  service.loadRest().then(
    () => log.debug('everything is loaded'),
    (error: unknown) => log.error({ err: error }, 'a part of the program could not be loaded'),
  );
  // A rejection that nobody handles must not end the process with all its requests.
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unexpected error'));
  const stopping = new Stopping({
    log,
    drainSeconds: config.drainSeconds,
    drain: () => service.drain(),
    async end() {
      await service.stop();
      await tracer?.stop();
      log.info('stopped');
      await exit(0, log);
    },
  });
  if (worker) servePrimary(worker, { metrics, tlsStatusOf: service.tlsStatusOf, stopping });
  else onStopSignals((signal) => stopping.signal(signal));
}

/** Why the program could not start, for the operator: one line, or a line for each wrong variable. */
function explain(error: unknown, config: Config | null): string {
  if (error instanceof OperatorError) return error.message;
  const hint = config && hintFor(error, config.databaseUrl, 'DATABASE_URL');
  return hint ?? `Linkspace could not start: ${oneLine(error)}`;
}

const USAGE = `Usage: npm start

Starts the service, and migrates its database. Environment variables configure it. The running service lists them at
/docs/guides/operations#configuration, http://localhost:3000/docs/guides/operations#configuration by default.
`;

/** The version, and the day of the countries of addresses, if there are any. */
async function versions(): Promise<string> {
  const { countryLookup } = await import('../redirect/country.ts');
  const found = await countryLookup(undefined, process.env.GEOIP_DATABASE || undefined).catch(() => null);
  return `${BUILD_NAME}\n${found?.asOf ? `countries of addresses: ${found.asOf}\n` : ''}`;
}

const answers = new Map([
  ['--version', versions],
  ['--help', async () => withOwnCommands(USAGE)],
]);

/** The arguments are for people: the service itself has none. Ends the process if there are any. */
async function endWithArguments([first]: readonly string[]): Promise<void> {
  if (first === undefined) return;
  const answer = await answers.get(first)?.();
  if (answer === undefined)
    process.stderr.write(
      printable(withOwnCommands(`npm start takes no arguments, but got ${shown('', first)}. See --help.\n`)),
    );
  else process.stdout.write(answer);
  process.exit(answer === undefined ? 1 : 0);
}

// A closed output must not end the service.
process.stdout.on('error', () => {});
if (ownWorker() === undefined) await endWithArguments(process.argv.slice(2));
let config: Config | null = null;
let log: Logger | null = null;
try {
  config = readConfig(process.env);
  const options: LogOptions = {
    level: config.logLevel,
    worker: ownWorker()?.id,
    shared: config.workers > 1,
    isTraced: config.sideEffects && sendsTraces(process.env),
  };
  log = createLog(options);
  // Before anything else is loaded: it takes time and memory that only those who use it should spend.
  if (options.isTraced) traceWith((await import('../engine/tools/otel.ts')).createTracer(log));
  await serve(config, log, createStartLog(options));
} catch (error) {
  process.stderr.write(printable(`${withOwnCommands(explain(error, config))}\n`));
  const code = error instanceof InvalidSettings ? WRONG_SETTINGS : 1;
  if (log) await exit(code, log);
  process.exit(code);
}

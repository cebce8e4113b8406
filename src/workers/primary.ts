import cluster from 'node:cluster';
import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { listen } from '../http/bind-port.ts';
import { exit } from '../log.ts';
import { Supervisor } from './supervisor.ts';
import { WORKER_ARGUMENT } from './worker.ts';

/** Serves the metrics of all workers, if they are enabled. */
async function listenForMetrics({ metricsPort, host }: Config, supervisor: Supervisor, log: Logger) {
  if (metricsPort === undefined) return undefined;
  const [{ SharedMetrics }, { metricsListener }] = await Promise.all([
    import('./shared-metrics.ts'),
    import('../http/metrics-listener.ts'),
  ]);
  const metrics = new SharedMetrics(() => supervisor.serving);
  const server: Server = createServer(metricsListener(() => metrics.text(), log));
  await listen(server, 'METRICS_PORT', metricsPort, host);
  return { server, metrics };
}

/**
 * Runs `config.workers` processes that serve one port, until it is stopped or they fail.
 * @param program the file that each of them runs
 */
export async function supervise(config: Config, log: Logger, program: string): Promise<void> {
  let ending = false;
  const end = async (code: number) => {
    ending = true;
    const inOrder = await supervisor.stop();
    shared?.server.close();
    if (!inOrder) log.error('workers that did not end were killed');
    log.info('stopped');
    await exit(inOrder ? code : 1, log);
  };
  const supervisor = new Supervisor({
    workers: config.workers,
    log,
    onFailure(why) {
      if (ending) return;
      if (why !== null) process.stderr.write(`Linkspace ends: ${why}; the log says more.\n`);
      void end(1);
    },
    onEnd: (worker) => shared?.metrics.depart(worker),
  });
  // Workers get the flags of this process, such as V8's.
  cluster.setupPrimary({ exec: program, args: [WORKER_ARGUMENT] });
  const shared = await listenForMetrics(config, supervisor, log);
  const onSignal = (signal: NodeJS.Signals) => {
    if (ending) return;
    log.info({ signal }, 'stopping');
    void end(0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  supervisor.start();
}

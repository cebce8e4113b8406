import cluster, { type Worker } from 'node:cluster';
import { createServer, type Server } from 'node:http';
import type { Logger } from 'pino';
import { listen } from '../../engine/http/bind-port.ts';
import { exit } from '../../engine/tools/log.ts';
import { WRONG_SETTINGS } from '../../engine/tools/operator-error.ts';
import { printable } from '../../engine/tools/printable.ts';
import { onStopSignals, STOP_LIMIT, Stopping } from '../../engine/tools/stop-signals.ts';
import { TIMED_OUT, withTimeout } from '../../engine/tools/timeout.ts';
import type { Config } from '../config.ts';
import { type Patience, SignsOfLife } from './signs-of-life.ts';
import { type StopRequest, WORKER_ARGUMENT, type WorkerMessage } from './worker.ts';

/** A worker that ends before it has served for this long, in milliseconds, counts as failed at its start. */
const MIN_LIFETIME = 5_000;
/** Number of such failures in a row that end the program. */
const MAX_EARLY_EXITS = 5;
/** The pause after the first failure, in milliseconds; it doubles with each further one. */
const FIRST_PAUSE = 50;
/** Milliseconds in which the workers must end: somewhat less than the primary has itself. */
const STOP_TIMEOUT = STOP_LIMIT - 1_000;
/** Milliseconds by which a signal to a worker may precede the primary's. */
const SIGNAL_TO_ALL = 500;

/** The patience with workers that give no sign of life. */
const PATIENCE: Patience = { silence: 15_000, start: 45_000, interval: 1_000 };

interface SupervisorOptions {
  readonly workers: number;
  readonly patience: Patience;
  readonly log: Logger;
  /** Called when it gives up, with the exit code; `why` is null if the worker has logged the reason itself. */
  onFailure(code: number, why: string | null): void;
  /** Called for each worker that has served and ended. */
  onEnd(worker: Worker): void;
}

function tell(worker: Worker, request: StopRequest): void {
  if (worker.isConnected()) worker.send(request, undefined, () => {});
}

/** Starts workers, replaces those that die or hang, and stops them. */
class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #all = new Set<Worker>();
  /** The serving workers, and since when they serve. */
  readonly #serving = new Map<Worker, number>();
  readonly #signs: SignsOfLife<Worker>;
  #watch: NodeJS.Timeout | undefined;
  #hasServed = false;
  #earlyExits = 0;
  /** The signal by which all processes stop. */
  #signal: string | undefined;
  #onEmpty = () => {};

  constructor(options: SupervisorOptions) {
    this.#options = options;
    this.#signs = new SignsOfLife(options.patience);
  }

  get serving(): readonly Worker[] {
    return [...this.#serving.keys()];
  }

  /** Starts one worker, and the others when it serves, so that an error at the start is reported once. */
  start(): void {
    this.#watch = setInterval(() => this.#killSilent(), this.#options.patience.interval);
    this.#fork();
  }

  #sign(worker: Worker): void {
    this.#signs.sign(worker, this.#serving.has(worker));
  }

  #killSilent(): void {
    const { log } = this.#options;
    for (const worker of this.#signs.look()) {
      // It counts anew: the system may need a while to end it.
      this.#sign(worker);
      const { id, process } = worker;
      log.error({ worker: id, pid: process.pid }, 'worker is killed: it gives no sign of life');
      process.kill('SIGKILL');
    }
  }

  /** Has all workers drain. Those that have just started end. */
  drain(signal: string): void {
    this.#signal = signal;
    for (const worker of this.#all)
      if (this.#serving.has(worker)) tell(worker, { drain: signal });
      else worker.process.kill('SIGTERM');
  }

  /** Stops all workers gracefully; returns whether none had to be killed. */
  async stop(signal: string): Promise<boolean> {
    this.#signal = signal;
    clearInterval(this.#watch);
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    if (this.#all.size === 0) return true;
    for (const worker of this.#all)
      if (this.#serving.has(worker)) tell(worker, { stop: signal });
      else worker.process.kill('SIGTERM');
    if ((await withTimeout(STOP_TIMEOUT, empty)) !== TIMED_OUT) return true;
    for (const worker of this.#all) worker.process.kill('SIGKILL');
    return false;
  }

  #fork(): void {
    if (this.#signal !== undefined) return;
    const worker = cluster.fork();
    this.#all.add(worker);
    this.#sign(worker);
    worker.on('message', (message: WorkerMessage) => {
      if ('ready' in message) this.#onReady(worker);
      if ('signal' in message) this.#onSignal(worker, message.signal);
      this.#sign(worker);
    });
    worker.once('exit', (code, signal) => this.#onEnd(worker, signal ?? code));
    worker.on('error', (error) => {
      this.#options.log.error({ worker: worker.id, err: error }, 'worker cannot be reached');
      // The system could not start it: there is no exit event.
      if (worker.process.pid === undefined) this.#onEnd(worker, 'not started');
    });
  }

  /** Ends one worker, unless all of them got the signal. */
  #onSignal(worker: Worker, signal: string): void {
    setTimeout(() => {
      if (this.#signal === undefined) tell(worker, { stop: signal });
    }, SIGNAL_TO_ALL);
  }

  #onReady(worker: Worker): void {
    // It was told to end before it could hear it.
    if (this.#signal !== undefined) {
      tell(worker, { stop: this.#signal });
      return;
    }
    this.#serving.set(worker, performance.now());
    this.#options.log.info({ worker: worker.id, pid: worker.process.pid }, 'worker serves');
    setTimeout(() => {
      if (this.#serving.has(worker)) this.#earlyExits = 0;
    }, MIN_LIFETIME).unref();
    if (this.#hasServed) return;
    this.#hasServed = true;
    while (this.#all.size < this.#options.workers) this.#fork();
  }

  /** @param how the exit code, or the signal that ended it */
  #onEnd(worker: Worker, how: number | string): void {
    const since = this.#serving.get(worker);
    this.#serving.delete(worker);
    this.#all.delete(worker);
    this.#signs.ended(worker);
    if (since !== undefined) this.#options.onEnd(worker);
    if (this.#signal !== undefined) {
      if (this.#all.size === 0) this.#onEmpty();
      return;
    }
    const wasEarly = since === undefined || performance.now() - since < MIN_LIFETIME;
    this.#earlyExits = wasEarly ? this.#earlyExits + 1 : 0;
    const { log, onFailure } = this.#options;
    // A worker that received SIGTERM ends with code 0.
    log[how === 0 ? 'info' : 'error']({ worker: worker.id, pid: worker.process.pid, how }, 'worker ended');
    const code = how === WRONG_SETTINGS ? WRONG_SETTINGS : 1;
    if (!this.#hasServed)
      onFailure(code, how === code ? null : `the first worker ended at its start (${how})`);
    else if (this.#earlyExits >= MAX_EARLY_EXITS)
      onFailure(
        code,
        `${MAX_EARLY_EXITS} workers in a row ended within ${MIN_LIFETIME / 1000} seconds (${how})`,
      );
    else setTimeout(() => this.#fork(), wasEarly ? FIRST_PAUSE * 2 ** (this.#earlyExits - 1) : 0);
  }
}

/** Serves the metrics of all workers, if they are enabled. */
async function listenForMetrics({ metricsPort, host }: Config, supervisor: Supervisor, log: Logger) {
  if (metricsPort === undefined) return undefined;
  const [{ SharedMetrics }, { metricsListener }] = await Promise.all([
    import('./shared-metrics.ts'),
    import('../service/metrics.ts'),
  ]);
  const metrics = new SharedMetrics(() => supervisor.serving);
  const server: Server = createServer(
    metricsListener(
      () => metrics.text(),
      (target) => metrics.tlsStatusOf(target),
      log,
    ),
  );
  await listen(server, 'METRICS_PORT', metricsPort, host);
  return { server, metrics };
}

/**
 * Runs `config.workers` processes that serve one port, until it is stopped or they fail.
 * @param program the file that each of them runs
 */
export async function supervise(
  config: Config,
  log: Logger,
  program: string,
  patience = PATIENCE,
): Promise<void> {
  let ending = false;
  const end = async (code: number, signal = 'SIGTERM') => {
    ending = true;
    const inOrder = await supervisor.stop(signal);
    shared?.server.close();
    if (!inOrder) log.error('workers that did not end were killed');
    log.info('stopped');
    await exit(inOrder ? code : 1, log);
  };
  const supervisor = new Supervisor({
    workers: config.workers,
    patience,
    log,
    onFailure(code, why) {
      if (ending) return;
      if (why !== null) process.stderr.write(printable(`Linkspace ends: ${why}; the log says more.\n`));
      void end(code);
    },
    onEnd: (worker) => shared?.metrics.workerEnded(worker),
  });
  // Workers get the flags of this process, such as V8's.
  cluster.setupPrimary({ exec: program, args: [WORKER_ARGUMENT] });
  const shared = await listenForMetrics(config, supervisor, log);
  const stopping = new Stopping({
    log,
    drainSeconds: config.drainSeconds,
    drain(signal) {
      ending = true;
      supervisor.drain(signal);
    },
    end: (signal) => end(0, signal),
  });
  onStopSignals((signal) => {
    if (!ending || stopping.hasBegun) stopping.signal(signal, supervisor.serving.length > 0);
  });
  supervisor.start();
}

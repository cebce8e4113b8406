import cluster, { type Worker } from 'node:cluster';
import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { isRefusedConnect } from '../../engine/db/errors.ts';
import { RepeatedFault } from '../../engine/tools/repeated-fault.ts';
import { onStopSignals, type Stopping } from '../../engine/tools/stop-signals.ts';
import type { Metrics } from '../service/metrics.ts';
import type { TlsStatusOf } from '../service/tls-ask.ts';

/** The metrics of a registry, as JSON. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** A request of the primary to a worker: for its metrics, or for the status of a target of `/tls/ask`. */
export interface WorkerRequest {
  readonly id: number;
  readonly tlsTarget?: string;
}

/** Messages of the primary to a worker besides its requests: drain for that many seconds, like all processes, or stop. */
export type StopRequest = { readonly drain: string } | { readonly stop: string };

/** A worker's answer, with the id of the request. */
export type WorkerAnswer = { readonly id: number } & (
  | { readonly metrics: MetricValues }
  | { readonly tlsStatus: number }
);

/** A message of a worker to the primary: that it serves, a sign of life, a signal that it got, or an answer. */
export type WorkerMessage =
  | { readonly ready: true }
  | { readonly alive: true }
  | { readonly signal: string }
  | WorkerAnswer;

/** The pause between two signs of life, in milliseconds. */
const SIGN_INTERVAL = 1_000;

/** The pause before a worker asks again for a connection, in milliseconds. */
const REFUSAL_PAUSE = 2_000;

/** The argument that marks a process as a worker. */
export const WORKER_ARGUMENT = '--worker';

/** This process as a worker; undefined if it is the only process, or the primary. */
export function ownWorker(): Worker | undefined {
  return process.argv.includes(WORKER_ARGUMENT) ? cluster.worker : undefined;
}

function send(worker: Worker, message: WorkerMessage): void {
  // After the primary has ended, there is no receiver.
  if (worker.isConnected()) worker.send(message, undefined, () => {});
}

/** Gives signs of life to the primary from now on. */
export function giveSigns(worker: Worker): void {
  setInterval(() => send(worker, { alive: true }), SIGN_INTERVAL).unref();
}

/**
 * Creates the service of a worker once the database grants a connection. The other workers may have all of them: a worker that ended
 * would be replaced in vain until the primary gives up.
 */
export async function createWhenGranted<T>(log: Logger, create: () => Promise<T>): Promise<T> {
  const refused = new RepeatedFault(log, 'PostgreSQL grants this worker no connection');
  for (;;) {
    try {
      const service = await create();
      refused.ended();
      return service;
    } catch (error) {
      if (!isRefusedConnect(error)) throw error;
      refused.occurred(error);
      await setTimeout(REFUSAL_PAUSE);
    }
  }
}

interface Serving {
  readonly metrics: Metrics | undefined;
  readonly tlsStatusOf: TlsStatusOf;
  readonly stopping: Stopping;
}

/** Tells the primary that this worker serves, answers its requests, and stops when the primary says so, or has ended. */
export function servePrimary(worker: Worker, { metrics, tlsStatusOf, stopping }: Serving): void {
  worker.on('message', (message: WorkerRequest | StopRequest) => {
    if ('drain' in message) return stopping.signal(message.drain);
    if ('stop' in message) return stopping.signal(message.stop, false);
    const { id, tlsTarget } = message;
    if (tlsTarget !== undefined)
      return void tlsStatusOf(tlsTarget).then((tlsStatus) => send(worker, { tlsStatus, id }));
    metrics?.values().then(
      (values) => send(worker, { metrics: values, id }),
      () => {},
    );
  });
  worker.once('disconnect', () => {
    // Without this, Node would end the worker at once, and lose requests in flight and counted clicks.
    worker.exitedAfterDisconnect = true;
    stopping.signal('primary ended', false);
  });
  // A signal may be for all processes, which drain together, or for this one, which others replace at once.
  onStopSignals((signal) => send(worker, { signal }));
  send(worker, { ready: true });
}

import cluster, { type Worker } from 'node:cluster';
import type { Registry } from 'prom-client';
import type { Metrics } from '../http/metrics.ts';
import type { TlsStatusOf } from '../http/tls-ask.ts';

/** The metrics of a registry, as JSON. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** A request of the primary to a worker: for its metrics, or for the status of a target of `/tls/ask`. */
export interface WorkerRequest {
  readonly id: number;
  readonly tlsTarget?: string;
}

/** A worker's answer, with the id of the request. */
export type WorkerAnswer = { readonly id: number } & (
  | { readonly metrics: MetricValues }
  | { readonly tlsStatus: number }
);

/** A message of a worker to the primary: that it serves, a sign of life, or an answer. */
export type WorkerMessage = { readonly ready: true } | { readonly alive: true } | WorkerAnswer;

/** The pause between two signs of life, in milliseconds. */
const SIGN_INTERVAL = 1_000;

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
 * Tells the primary that this worker serves, and answers its requests.
 * @param onPrimaryGone called once if the primary ended unexpectedly; the process then has to stop itself
 */
export function servePrimary(
  worker: Worker,
  metrics: Metrics | undefined,
  tlsStatusOf: TlsStatusOf,
  onPrimaryGone: () => void,
): void {
  worker.on('message', ({ id, tlsTarget }: WorkerRequest) => {
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
    onPrimaryGone();
  });
  send(worker, { ready: true });
}

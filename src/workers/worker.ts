import cluster, { type Worker } from 'node:cluster';
import type { Metrics } from '../http/metrics.ts';
import type { Question, Told } from './messages.ts';

/** Tells a program that it is one of several workers. */
export const WORKER_ARGUMENT = '--worker';

/** This process as a worker of the program; undefined where it is the only process, or the primary. */
export function ownWorker(): Worker | undefined {
  return process.argv.includes(WORKER_ARGUMENT) ? cluster.worker : undefined;
}

function tell(worker: Worker, told: Told): void {
  // Where the primary is gone, nobody is there to be told.
  if (worker.isConnected()) worker.send(told, undefined, () => {});
}

/**
 * Tells the primary that this worker serves, and answers it from now on.
 * @param onPrimaryGone called once where the primary ended without a word; the process goes on until it ends itself
 */
export function servePrimary(worker: Worker, metrics: Metrics | undefined, onPrimaryGone: () => void): void {
  worker.on('message', ({ id }: Question) => {
    metrics?.values().then(
      (values) => tell(worker, { metrics: values, id }),
      () => {},
    );
  });
  worker.once('disconnect', () => {
    // Node would end a worker at once whose primary is gone, with what is in flight and what is counted.
    worker.exitedAfterDisconnect = true;
    onPrimaryGone();
  });
  tell(worker, { ready: true });
}

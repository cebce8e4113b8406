import type { Worker } from 'node:cluster';
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { withTimeout } from '../shared/timeout.ts';
import type { MetricsRequest, MetricValues, WorkerMessage } from './worker.ts';

/** The timeout for a worker's answer, in milliseconds; after it, its last known metrics are used. */
const ANSWER_TIMEOUT = 1_000;

/** The aggregated metrics of all workers: sums, or means and extremes where a sum has no meaning. */
export class SharedMetrics {
  readonly #serving: () => readonly Worker[];
  /** The primary's own metrics, and the number of workers. */
  readonly #own = new Registry();
  readonly #latest = new Map<Worker, MetricValues>();
  /** The metrics of ended workers: without them, sums would fall, which looks like a restart of all. */
  #ended: MetricValues = [];
  #folding = Promise.resolve();
  #asked = 0;

  constructor(serving: () => readonly Worker[]) {
    this.#serving = serving;
    collectDefaultMetrics({ register: this.#own });
    new Gauge({
      name: 'linkspace_workers',
      help: 'Workers that serve.',
      registers: [this.#own],
      collect() {
        this.set(serving().length);
      },
    });
  }

  /** Keeps the last known metrics of a worker that has ended. */
  workerEnded(worker: Worker): void {
    this.#folding = this.#folding.then(() => this.#fold(worker)).catch(() => {});
  }

  async #fold(worker: Worker): Promise<void> {
    const counts = this.#latest
      .get(worker)
      ?.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
    if (counts) this.#ended = await AggregatorRegistry.aggregate([this.#ended, counts]).getMetricsAsJSON();
    this.#latest.delete(worker);
  }

  /** All metrics, in Prometheus's format. */
  async text(): Promise<string> {
    await Promise.all(this.#serving().map((worker) => this.#ask(worker)));
    const own = await this.#ownValues();
    await this.#folding;
    return AggregatorRegistry.aggregate([own, ...this.#latest.values(), this.#ended]).metrics();
  }

  async #ask(worker: Worker): Promise<void> {
    const id = ++this.#asked;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    const onMessage = (message: WorkerMessage) => {
      if (!('metrics' in message) || message.id !== id) return;
      this.#latest.set(worker, message.metrics);
      end();
    };
    worker.on('message', onMessage).once('exit', end);
    const request: MetricsRequest = { id };
    worker.send(request, undefined, (error) => error && end());
    await withTimeout(ANSWER_TIMEOUT, promise);
    worker.off('message', onMessage).off('exit', end);
  }

  /** Of the primary's metrics, only its resource usage and its start time, which is the program's. */
  async #ownValues(): Promise<MetricValues> {
    const values = await this.#own.getMetricsAsJSON();
    return values
      .filter(({ name }) => /^(process|linkspace)_/.test(name))
      .map((metric) =>
        metric.name === 'process_start_time_seconds' ? { ...metric, aggregator: 'first' } : metric,
      );
  }
}

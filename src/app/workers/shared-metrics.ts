import type { Worker } from 'node:cluster';
import { AggregatorRegistry, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { TIMED_OUT, withTimeout } from '../../engine/tools/timeout.ts';
import type { MetricValues, WorkerAnswer, WorkerMessage, WorkerRequest } from './worker.ts';

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
    await Promise.all(
      this.#serving().map(async (worker) => {
        const answer = await this.#ask(worker);
        if (answer && 'metrics' in answer) this.#latest.set(worker, answer.metrics);
      }),
    );
    const own = await this.#ownValues();
    await this.#folding;
    return AggregatorRegistry.aggregate([own, ...this.#latest.values(), this.#ended]).metrics();
  }

  /** Returns the answer of the first worker about a target of `/tls/ask`, since one may hang; 503 if none answers. */
  async tlsStatusOf(tlsTarget: string): Promise<number> {
    const answers = this.#serving().map(async (worker) => {
      const answer = await this.#ask(worker, { tlsTarget });
      return answer && 'tlsStatus' in answer ? answer.tlsStatus : Promise.reject();
    });
    return Promise.any(answers).catch(() => 503);
  }

  /** A worker's answer; null if there is none in time. */
  async #ask(worker: Worker, question: Omit<WorkerRequest, 'id'> = {}): Promise<WorkerAnswer | null> {
    const id = ++this.#asked;
    const { promise, resolve } = Promise.withResolvers<WorkerAnswer | null>();
    const end = () => resolve(null);
    const onMessage = (message: WorkerMessage) => {
      if ('id' in message && message.id === id) resolve(message);
    };
    worker.on('message', onMessage).once('exit', end);
    const request: WorkerRequest = { ...question, id };
    worker.send(request, undefined, (error) => error && end());
    const answer = await withTimeout(ANSWER_TIMEOUT, promise);
    worker.off('message', onMessage).off('exit', end);
    return answer === TIMED_OUT ? null : answer;
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

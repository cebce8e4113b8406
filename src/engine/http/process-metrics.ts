import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ReadServer } from '../db/postgresql/read-server.ts';
import { keysOf } from '../tools/keys-of.ts';
import { BUILD } from '../tools/own-files.ts';
import { singleFlight } from '../tools/single-flight.ts';
import { TIMED_OUT, withTimeout } from '../tools/timeout.ts';
import { type Readiness, unreadyReasons } from './readiness.ts';

type ReplicaState = Pick<ReadServer, 'number' | 'isAway' | 'lag'>;

export interface Observation {
  readonly surface: string;
  /** A method and path, or the name of a GraphQL operation; undefined if the request has no valid one. */
  readonly operation: string | undefined;
  readonly status: number;
  readonly seconds: number;
  readonly keyId: number | undefined;
  /** The deprecated parts of the schema that it used. */
  readonly deprecated?: readonly string[] | undefined;
}

/** The maximum number of operation names as labels: clients choose those of GraphQL. */
const MAX_OPERATIONS = 200;
/** The maximum number of keys as labels; further ones are together. */
const MAX_KEYS = 1_000;
/**
 * Milliseconds for which the metrics wait for numbers of the database. A primary waits longer for its workers' metrics.
 */
const READ_TIMEOUT = 500;
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The age of a time, in seconds; 0 for none. */
export function secondsSince(at: Date | null, now: Date): number {
  return at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1000);
}

/** The metrics of any service for Prometheus, with a registry of their own. */
export class ProcessMetrics {
  protected readonly registry = new Registry();
  readonly #names = new Set<string>();
  readonly #keys = new Set<number>();
  readonly #product: string;
  readonly #requests: Histogram<'surface' | 'operation' | 'status'>;
  readonly #deprecated: Counter<'key' | 'field'>;
  readonly #statements: Histogram;

  /** @param product the beginning of the names of its metrics */
  constructor(product: string) {
    this.#product = product;
    this.#requests = new Histogram({
      name: this.#named('request_duration_seconds'),
      help: 'Answered requests, by surface and operation.',
      labelNames: ['surface', 'operation', 'status'],
      buckets: BUCKETS,
      registers: [this.registry],
    });
    this.#deprecated = new Counter({
      name: this.#named('deprecated_fields_total'),
      help: 'GraphQL requests that asked for a deprecated field, by the id of the key: who still needs it.',
      labelNames: ['key', 'field'],
      registers: [this.registry],
    });
    this.#statements = new Histogram({
      name: this.#named('database_duration_seconds'),
      help: 'SQL statements.',
      buckets: BUCKETS,
      registers: [this.registry],
    });
    collectDefaultMetrics({ register: this.registry });
    // Gauges whose names are those of counters; each has others, by type.
    for (const what of ['handles', 'requests', 'resources'])
      this.registry.removeSingleMetric(`nodejs_active_${what}_total`);
    const build = new Gauge({
      name: this.#named('build_info'),
      help: '1, with the version of the program and the commit that it was built from.',
      labelNames: ['version', 'commit'],
      aggregator: 'max',
      registers: [this.registry],
    });
    build.set(BUILD, 1);
  }

  /** The full name of a metric. */
  #named(name: string): string {
    return `${this.#product}_${name}`;
  }

  /** A counter with some labels. */
  protected counter<Label extends string = never>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
  ): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  /** @param aggregator what several processes report together */
  protected watch(name: string, help: string, aggregator: 'max' | 'sum', value: () => number): void {
    const registers = [this.registry];
    new Gauge({
      ...{ name, help, aggregator, registers },
      collect() {
        this.set(value());
      },
    });
  }

  /** Counts a request. Returns the label of its operation. */
  request({ surface, operation = '', status, seconds, keyId, deprecated = [] }: Observation): string {
    if (this.#names.size < MAX_OPERATIONS) this.#names.add(operation);
    const known = this.#names.has(operation) ? operation : 'other';
    this.#requests.observe({ surface, operation: known, status }, seconds);
    // The schema limits the number of names.
    if (keyId !== undefined)
      for (const field of deprecated) this.#deprecated.inc({ key: this.keyLabel(keyId), field });
    return known;
  }

  /** The label of a key: its id, for the first thousand. */
  protected keyLabel(keyId: number): number | 'other' {
    if (this.#keys.size < MAX_KEYS) this.#keys.add(keyId);
    return this.#keys.has(keyId) ? keyId : 'other';
  }

  statement(seconds: number): void {
    this.#statements.observe(seconds);
  }

  watchReadiness(read: () => Promise<Readiness>): void {
    const registers = [this.registry];
    const ready = new Gauge({
      name: this.#named('ready'),
      help: '1 while the process is ready, as /readyz says.',
      aggregator: 'min',
      registers,
      collect: () => check(),
    });
    const unready = new Gauge({
      name: this.#named('unready'),
      help: '1 for the reason for which the process is not ready.',
      labelNames: ['reason'],
      aggregator: 'max',
      registers,
    });
    const update = singleFlight(async () => {
      const found = await read();
      ready.set(found === null ? 1 : 0);
      for (const reason of unreadyReasons) unready.set({ reason }, Number(reason === found?.reason));
    });
    // A check that takes longer shows in the next collection.
    const check = async (): Promise<void> => void (await withTimeout(READ_TIMEOUT, update()));
  }

  watchDatabase(isAway: () => boolean): void {
    const help = '1 while the database does not answer, and answers come from memory.';
    this.watch(this.#named('database_away'), help, 'max', () => (isAway() ? 1 : 0));
  }

  watchReplicas(replicas: readonly ReplicaState[]): void {
    const watch = (name: string, help: string, read: (replica: ReplicaState) => number | null) =>
      new Gauge({
        ...{ name, help },
        labelNames: ['replica'],
        // The largest that one of several processes has seen.
        aggregator: 'max',
        registers: [this.registry],
        collect() {
          this.reset();
          for (const replica of replicas) {
            const value = read(replica);
            if (value !== null) this.set({ replica: replica.number }, value);
          }
        },
      });
    const lacks =
      'For how long a replica lacks something, by its number in DATABASE_READ_URLS, if that is known.';
    watch(this.#named('replica_lag_seconds'), lacks, ({ lag }) => lag);
    const away = '1 while a server of DATABASE_READ_URLS does not answer, by its number there.';
    watch(this.#named('replica_away'), away, ({ isAway }) => Number(isAway));
  }

  /** @param freeBytes the bytes that are free on the disk of the database, if this machine has it */
  watchDisk(size: () => Promise<number>, freeBytes: (() => Promise<number>) | undefined): void {
    const bytes = this.#named('database_bytes');
    this.watchTogether({ [bytes]: 'The size of the database.' }, async () => ({ [bytes]: await size() }));
    if (freeBytes === undefined) return;
    const free = this.#named('disk_free_bytes');
    const help = 'Free space on the disk of SQLite’s file.';
    this.watchTogether({ [free]: help }, async () => ({ [free]: await freeBytes() }));
  }

  /** Watches what is read at once, and what each of several processes reports alike. */
  protected watchTogether<Name extends string>(
    helps: Readonly<Record<Name, string>>,
    read: () => Promise<Readonly<Record<Name, number>>>,
  ): void {
    const collect = singleFlight(async () => {
      // While the database does not answer, the last known numbers stay: the other metrics must not wait for them.
      const found = await withTimeout(
        READ_TIMEOUT,
        read().catch((): typeof TIMED_OUT => TIMED_OUT),
      );
      if (found !== TIMED_OUT) for (const { name, gauge } of gauges) gauge.set(found[name]);
    });
    const common = { aggregator: 'max' as const, registers: [this.registry], collect };
    const gauges = keysOf(helps).map((name) => ({
      name,
      gauge: new Gauge({ name, help: helps[name], ...common }),
    }));
  }

  /** All metrics, for the primary to aggregate. */
  values(): ReturnType<Registry['getMetricsAsJSON']> {
    return this.registry.getMetricsAsJSON();
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }
}

/** The port of the metrics. @param others answer further paths */
export function metricsServer(
  text: () => Promise<string>,
  others: ReadonlyMap<string, RequestListener>,
  log: Logger,
): RequestListener {
  return async (req, res) => {
    const { method = '', url = '' } = req;
    const [path = ''] = url.split('?', 1);
    const other = others.get(path);
    if (!other && !/^\/metrics\/?$/.test(path)) return res.writeHead(404).end();
    if (!['GET', 'HEAD'].includes(method)) return res.writeHead(405, { Allow: 'GET, HEAD' }).end();
    if (other) return other(req, res);
    try {
      const metrics = await text();
      res.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE });
      res.end(metrics);
    } catch (error) {
      log.error({ err: error }, 'the metrics could not be collected');
      res.writeHead(500).end();
    }
  };
}

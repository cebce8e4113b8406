import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ReadServer } from '../db/postgresql/read-server.ts';
import type { FailingWebhooks } from '../db/webhook/queues.ts';
import type { DeliveryStatus, DisabledReason } from '../domain/webhook/events.ts';
import { BUILD } from '../own-files.ts';
import { keysOf } from '../shared/keys-of.ts';
import { singleFlight } from '../shared/single-flight.ts';
import { TIMED_OUT, withTimeout } from '../shared/timeout.ts';
import { type Readiness, unreadyReasons } from './readiness.ts';
import type { Surface } from './request/info.ts';
import { TLS_ASK, type TlsStatusOf, tlsListener } from './tls-ask.ts';

export type SignInWay = 'password' | 'passkey' | 'openid';

type ReplicaState = Pick<ReadServer, 'number' | 'isAway' | 'lag'>;

export interface Observation {
  readonly surface: Surface;
  /** v1's method and path, or the name of a GraphQL operation; undefined if the request has no valid one. */
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
function ageOf(at: Date | null, now: Date): number {
  return at === null ? 0 : Math.max(0, (now.getTime() - at.getTime()) / 1000);
}

/** The process's metrics for Prometheus, with a registry of its own. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #names = new Set<string>();
  readonly #keys = new Set<number>();
  readonly #requests = new Histogram({
    name: 'linkspace_request_duration_seconds',
    help: 'Answered requests, by surface and operation.',
    labelNames: ['surface', 'operation', 'status'],
    buckets: BUCKETS,
    registers: [this.#registry],
  });
  readonly #v1 = new Counter({
    name: 'linkspace_v1_requests_total',
    help: 'Requests over v1, by the id of the key and operation: who still needs it.',
    labelNames: ['key', 'operation'],
    registers: [this.#registry],
  });
  readonly #deprecated = new Counter({
    name: 'linkspace_deprecated_fields_total',
    help: 'GraphQL requests that asked for a deprecated field, by the id of the key: who still needs it.',
    labelNames: ['key', 'field'],
    registers: [this.#registry],
  });
  readonly #clicks = new Counter({
    name: 'linkspace_clicks_total',
    help: 'Visits that were counted.',
    registers: [this.#registry],
  });
  readonly #dropped = new Counter({
    name: 'linkspace_clicks_dropped_total',
    help: 'Visits that were not counted, since those of too many links wait to be written.',
    registers: [this.#registry],
  });
  readonly #refused = new Counter({
    name: 'linkspace_visits_refused_total',
    help: 'What was not counted, since the database refuses it. The log has the links.',
    labelNames: ['what'],
    registers: [this.#registry],
  });
  readonly #lookups = new Counter({
    name: 'linkspace_link_lookups_total',
    help: 'Links that visitors asked for: found in memory (hit) or read (miss).',
    labelNames: ['cache'],
    registers: [this.#registry],
  });
  readonly #webhooks = new Counter({
    name: 'linkspace_webhook_attempts_total',
    help: 'Attempts to deliver to webhooks: delivered, retried (to be tried again), or failed (for good).',
    labelNames: ['outcome'],
    registers: [this.#registry],
  });
  readonly #disabledWebhooks = new Counter({
    name: 'linkspace_webhooks_disabled_total',
    help: 'Webhooks that the service disabled, since they failed or too many messages waited.',
    labelNames: ['reason'],
    registers: [this.#registry],
  });
  readonly #signInFailures = new Counter({
    name: 'linkspace_sign_in_failures_total',
    help: 'Refused attempts to sign in to the console, by password, passkey or OpenID.',
    labelNames: ['way'],
    registers: [this.#registry],
  });
  readonly #mailFailures = new Counter({
    name: 'linkspace_mails_failed_total',
    help: 'Mails that the mail server did not take.',
    registers: [this.#registry],
  });
  readonly #statements = new Histogram({
    name: 'linkspace_database_duration_seconds',
    help: 'SQL statements.',
    buckets: BUCKETS,
    registers: [this.#registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
    // Gauges whose names are those of counters; each has others, by type.
    for (const what of ['handles', 'requests', 'resources'])
      this.#registry.removeSingleMetric(`nodejs_active_${what}_total`);
    const build = new Gauge({
      name: 'linkspace_build_info',
      help: '1, with the version of the program and the commit that it was built from.',
      labelNames: ['version', 'commit'],
      aggregator: 'max',
      registers: [this.#registry],
    });
    build.set(BUILD, 1);
    // The first one is an increase only if there is a zero before it.
    for (const way of ['password', 'passkey', 'openid'] as const) this.#signInFailures.inc({ way }, 0);
    for (const reason of ['failing', 'too_many_waiting']) this.#disabledWebhooks.inc({ reason }, 0);
    for (const outcome of ['delivered', 'retried', 'failed']) this.#webhooks.inc({ outcome }, 0);
    for (const what of ['clicks', 'bots', 'values', 'visitors', 'statistics']) this.#refused.inc({ what }, 0);
  }

  /** @param aggregator what several processes report together */
  #watch(name: string, help: string, aggregator: 'max' | 'sum', value: () => number): void {
    const registers = [this.#registry];
    new Gauge({
      ...{ name, help, aggregator, registers },
      collect() {
        this.set(value());
      },
    });
  }

  request({ surface, operation = '', status, seconds, keyId, deprecated = [] }: Observation): void {
    if (this.#names.size < MAX_OPERATIONS) this.#names.add(operation);
    const known = this.#names.has(operation) ? operation : 'other';
    this.#requests.observe({ surface, operation: known, status }, seconds);
    if (keyId === undefined || (surface !== 'v1' && deprecated.length === 0)) return;
    if (this.#keys.size < MAX_KEYS) this.#keys.add(keyId);
    const key = this.#keys.has(keyId) ? keyId : 'other';
    if (surface === 'v1') this.#v1.inc({ key, operation: known });
    // The schema limits the number of names.
    for (const field of deprecated) this.#deprecated.inc({ key, field });
  }

  click(): void {
    this.#clicks.inc();
  }

  dropped(): void {
    this.#dropped.inc();
  }

  refused(numbers: Readonly<Record<string, number>>): void {
    for (const [what, number] of Object.entries(numbers)) this.#refused.inc({ what }, number);
  }

  lookup(cache: 'hit' | 'miss'): void {
    this.#lookups.inc({ cache });
  }

  statement(seconds: number): void {
    this.#statements.observe(seconds);
  }

  webhookAttempt(outcome: DeliveryStatus): void {
    this.#webhooks.inc({ outcome: outcome === 'PENDING' ? 'retried' : outcome.toLowerCase() });
  }

  webhookDisabled(reason: DisabledReason): void {
    this.#disabledWebhooks.inc({ reason: reason.toLowerCase() });
  }

  signInFailed(way: SignInWay): void {
    this.#signInFailures.inc({ way });
  }

  mailFailed(): void {
    this.#mailFailures.inc();
  }

  /** @param waiting how many mails are stored until they are sent */
  watchMails(waiting: () => Promise<number>): void {
    const helps = { linkspace_mails_waiting: 'Mails about changed addresses that are not sent yet.' };
    this.#watchTogether(helps, async () => ({ linkspace_mails_waiting: await waiting() }));
  }

  /** @param madeAt when the last backup was made; null if there are no data */
  watchBackups(madeAt: () => Promise<Date | null>, now: () => Date): void {
    const helps = {
      linkspace_backup_age_seconds:
        'The time since the last backup of SQLite by npm run backup; without one, since the first account was made.',
    };
    this.#watchTogether(helps, async () => {
      return { linkspace_backup_age_seconds: ageOf(await madeAt(), now()) };
    });
  }

  watchReadiness(read: () => Promise<Readiness>): void {
    const registers = [this.#registry];
    const ready = new Gauge({
      name: 'linkspace_ready',
      help: '1 while the process is ready, as /readyz says.',
      aggregator: 'min',
      registers,
      collect: () => check(),
    });
    const unready = new Gauge({
      name: 'linkspace_unready',
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

  watchSideEffects(areOn: boolean): void {
    const help = '0 while SIDE_EFFECTS is off: nothing goes out, and nothing old is deleted.';
    this.#watch('linkspace_side_effects', help, 'max', () => Number(areOn));
  }

  watchDatabase(isAway: () => boolean): void {
    const help = '1 while the database does not answer, and visitors are served from memory.';
    this.#watch('linkspace_database_away', help, 'max', () => (isAway() ? 1 : 0));
  }

  watchClicks(waiting: () => number, behind: () => number): void {
    this.#watch(
      'linkspace_clicks_behind_seconds',
      'For how long the oldest visit has waited to be written; more than a few seconds if counting stands still.',
      'max',
      behind,
    );
    this.#watch(
      'linkspace_clicks_waiting',
      'Counted visits that are not in the database yet; they are lost if the process ends before they can be written.',
      'sum',
      waiting,
    );
  }

  watchReplicas(replicas: readonly ReplicaState[]): void {
    const watch = (name: string, help: string, read: (replica: ReplicaState) => number | null) =>
      new Gauge({
        ...{ name, help },
        labelNames: ['replica'],
        // The largest that one of several processes has seen.
        aggregator: 'max',
        registers: [this.#registry],
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
    watch('linkspace_replica_lag_seconds', lacks, ({ lag }) => lag);
    const away = '1 while a server of DATABASE_READ_URLS does not answer, by its number there.';
    watch('linkspace_replica_away', away, ({ isAway }) => Number(isAway));
  }

  watchWebhooks(backlog: () => Promise<{ pending: number; dueAt: Date | null }>, now: () => Date): void {
    const helps = {
      linkspace_webhook_lag_seconds:
        'For how long the oldest delivery to a webhook is due, by all processes.',
      linkspace_webhook_pending:
        'Deliveries to webhooks that wait, for their turn or for another try, by all processes.',
    };
    this.#watchTogether(helps, async () => {
      const { pending, dueAt } = await backlog();
      return { linkspace_webhook_lag_seconds: ageOf(dueAt, now()), linkspace_webhook_pending: pending };
    });
  }

  watchFailingWebhooks(read: () => Promise<FailingWebhooks>, now: () => Date): void {
    const helps = {
      linkspace_webhooks_failing: 'Webhooks whose last attempt failed, by all processes.',
      linkspace_webhook_failing_seconds:
        'For how long the webhook that has failed for longest has had no success, by all processes.',
    };
    this.#watchTogether(helps, async () => {
      const { failing, since } = await read();
      return { linkspace_webhooks_failing: failing, linkspace_webhook_failing_seconds: ageOf(since, now()) };
    });
  }

  /** @param freeBytes the bytes that are free on the disk of the database, if this machine has it */
  watchDisk(size: () => Promise<number>, freeBytes: (() => Promise<number>) | undefined): void {
    this.#watchTogether({ linkspace_database_bytes: 'The size of the database.' }, async () => ({
      linkspace_database_bytes: await size(),
    }));
    if (freeBytes === undefined) return;
    this.#watchTogether(
      { linkspace_disk_free_bytes: 'Free space on the disk of SQLite’s file.' },
      async () => ({
        linkspace_disk_free_bytes: await freeBytes(),
      }),
    );
  }

  /** Watches what is read at once, and what each of several processes reports alike. */
  #watchTogether<Name extends string>(
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
    const common = { aggregator: 'max' as const, registers: [this.#registry], collect };
    const gauges = keysOf(helps).map((name) => ({
      name,
      gauge: new Gauge({ name, help: helps[name], ...common }),
    }));
  }

  /** All metrics, for the primary to aggregate. */
  values(): ReturnType<Registry['getMetricsAsJSON']> {
    return this.#registry.getMetricsAsJSON();
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }
}

/** The metrics' port, where a proxy may ask privately, too. */
export function metricsListener(
  text: () => Promise<string>,
  tlsStatusOf: TlsStatusOf,
  log: Logger,
): RequestListener {
  const answerProxy = tlsListener(tlsStatusOf);
  return async (req, res) => {
    const { method = '', url = '' } = req;
    const [path = ''] = url.split('?', 1);
    const isTls = path === TLS_ASK;
    if (!isTls && !/^\/metrics\/?$/.test(path)) return res.writeHead(404).end();
    if (!['GET', 'HEAD'].includes(method)) return res.writeHead(405, { Allow: 'GET, HEAD' }).end();
    if (isTls) return answerProxy(req, res);
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

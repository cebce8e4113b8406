import { createServer, type Server } from 'node:http';
import type { Database } from '../db/database.ts';
import { listen } from '../engine/http/bind-port.ts';
import { createGuard } from '../engine/http/guard.ts';
import { readReadiness, writable } from '../engine/http/readiness.ts';
import {
  answerRequests,
  createHttpServer,
  holdRequests,
  type ListenerDependencies,
} from '../engine/http/server.ts';
import { createStopper } from '../engine/http/stop-server.ts';
import { answerUpgrades } from '../engine/http/upgrades.ts';
import { allValid } from '../engine/tools/operator-error.ts';
import { withTimeout } from '../engine/tools/timeout.ts';
import { refusedVisit, sendMessage } from '../redirect/answer.ts';
import { type Config, getBaseUrl } from './config.ts';
import { migrate, readFiles } from './prepare.ts';
import type { ApiParts } from './service/api-parts.ts';
import { closeAll, openDatabases, readDefaultDomain } from './service/databases.ts';
import { loadRest } from './service/load-rest.ts';
import { isForPeople, paths } from './service/paths.ts';
import { type Background, type Ports, program } from './service/ports.ts';
import type { TlsStatusOf } from './service/tls-ask.ts';
import { createVisitParts, type Opened, type VisitParts } from './service/visit-parts.ts';
import { createWeb } from './service/web.ts';

/**
 * Milliseconds for which the stop waits for pending work other than clicks being written. With ten seconds for requests
 * in flight, this is less than a process has to stop.
 */
const STOP_TIMEOUT = 3_000;

/** The whole service on one database and one port, put together from its configuration and its ports to the world. */
export class Service {
  readonly #opened: Opened;
  readonly #ports: Ports;
  readonly #visitors: VisitParts;
  /** Null in a process for visitors only. */
  readonly #people: ApiParts | null;
  /** Throws if the service is not ready. */
  readonly #requireReady: () => Promise<void>;
  #isStopping = false;

  /**
   * Opens the files, the database and the ports. Requests wait until the service starts.
   * @throws OperatorError, or an error of the database
   */
  static async create(config: Config, given: Partial<Ports> & Pick<Ports, 'log'>): Promise<Service> {
    const ports: Ports = { ...program, startLog: given.log, ...given };
    const { log, startLog } = ports;
    const [countryOf, trusted, operatorFiles] = await readFiles(
      config,
      log,
      ports.filesInterval,
      ports.trusted,
    );
    if (ports.worker === undefined) await migrate(config, startLog);
    const metricsPort = ports.metrics ? undefined : config.metricsPort;
    // Loaded only if needed, since loading takes time and memory.
    const metrics =
      metricsPort === undefined ? ports.metrics : new (await import('./service/metrics.ts')).Metrics();
    const forPeople = config.role === 'redirects' ? undefined : await import('./service/api-parts.ts');
    const databases = await openDatabases(config, ports, metrics);
    const [database, ...replicas] = databases;
    const http = createHttpServer(ports);
    const stopper = createStopper(http);
    const answerHeld = holdRequests(http, forPeople !== undefined);
    let service: Service | undefined;
    const metricsServer =
      metrics &&
      metricsPort !== undefined &&
      createServer(
        (await import('./service/metrics.ts')).metricsListener(
          () => metrics.text(),
          async (target) => service?.tlsStatusOf(target) ?? 503,
          log,
        ),
      );
    try {
      // The ports are opened before the default domain changes: a start that fails must leave a running service as it is.
      await allValid([
        listen(http, 'PORT', config.port, config.host),
        metricsServer && metricsPort && listen(metricsServer, 'METRICS_PORT', metricsPort, config.host),
      ]);
      const port = listeningPort(http) ?? config.port;
      const baseUrl = getBaseUrl({ ...config, port });
      const defaultDomainId = forPeople
        ? await forPeople.settle(config, database, baseUrl, ports)
        : await readDefaultDomain(databases);
      const opened = {
        config: { ...config, baseUrl, port },
        ...{ database, replicas, defaultDomainId, countryOf, trusted, operatorFiles },
        ...{ metrics, metricsServer, http, answerHeld, stopper },
      };
      const visitors = createVisitParts(opened, ports);
      const people = forPeople?.createApiParts(opened, ports, visitors) ?? null;
      service = new Service(opened, ports, visitors, people);
      return service;
    } catch (error) {
      http.close();
      if (metricsServer) metricsServer.close();
      await closeAll(databases);
      throw error;
    }
  }

  private constructor(opened: Opened, ports: Ports, visitors: VisitParts, people: ApiParts | null) {
    this.#opened = opened;
    this.#ports = ports;
    this.#visitors = visitors;
    this.#people = people;
    const { links, feed } = visitors;
    this.#requireReady = people ? writable(opened.database, feed) : () => links.requireSource();
  }

  get database(): Database {
    return this.#opened.database;
  }

  get port(): number {
    return this.#opened.config.port;
  }

  /** Answers a proxy that asks before it gets a certificate. */
  get tlsStatusOf(): TlsStatusOf {
    return this.#visitors.tlsStatusOf;
  }

  get #background(): readonly Background[] {
    return [...this.#visitors.background, ...(this.#people?.background ?? [])];
  }

  /** Work that may begin later: it deletes what is old, and completes what an earlier process has left. */
  get #upkeep(): readonly Background[] {
    return this.#people?.upkeep ?? [];
  }

  /** Starts the background work, and answers requests. */
  async start(): Promise<void> {
    const { config, database, http, answerHeld } = this.#opened;
    const { log, background } = this.#ports;
    if (background) for (const one of [this.#visitors.clicks, ...this.#background]) one.start();
    const greet = await this.#people?.createFirst();
    answerRequests(http, this.#listener());
    this.#answerUpgrades();
    answerHeld();
    await greet?.();
    const { host, port, baseUrl } = config;
    const replicas = this.#opened.replicas.length || undefined;
    log.info({ host, port, baseUrl, database: database.provider, replicas }, 'listening');
    if (background) this.#beginUpkeep();
  }

  async #beginUpkeep(): Promise<void> {
    await this.#checkReadiness();
    if (!this.#isStopping) for (const one of this.#upkeep) one.start();
  }

  /** Loads what the first requests do not need. */
  async loadRest(): Promise<void> {
    await this.#checkReadiness();
    const { database, replicas } = this.#opened;
    await loadRest({
      databases: [database, ...replicas],
      clicks: this.#visitors.clicks,
      isStopping: () => this.#isStopping,
    });
  }

  /** Checks whether the service is ready. Those who wait for a start ask this, and nothing later may hold it up. */
  #checkReadiness(): Promise<unknown> {
    return readReadiness(this.#requireReady, () => this.#isStopping);
  }

  /** Returns the dependencies of the HTTP listener. */
  #listener(): ListenerDependencies {
    const { config } = this.#opened;
    const { graphiql, corsOrigins, baseUrl, consoleUrl } = config;
    const { trust, visit, ...visitors } = this.#visitors;
    const people = this.#people;
    const requireReady = this.#requireReady;
    const isStopping = () => this.#isStopping;
    this.#opened.metrics?.watchReadiness(() => readReadiness(requireReady, isStopping));
    const web = createWeb({
      ...{ ...visitors, config, people, visit, sendPage: sendMessage },
      ...{ requireReady, isStopping },
      sideEffects: config.sideEffects,
      log: this.#ports.log,
    });
    return {
      ...{ ...visitors, paths, bare: visit, refusedBare: refusedVisit, web },
      handlers: new Map(people?.handlers),
      isForPeople: (req, info) => people !== null && isForPeople(req, info, graphiql),
      guard: createGuard({ corsOrigins, baseUrl, consoleUrl, trust }),
    };
  }

  /** Answers requests for WebSockets, which a process for visitors only answers like others. */
  #answerUpgrades(): void {
    const { http, stopper, config } = this.#opened;
    const { load, requestLog } = this.#visitors;
    if (this.#people === null) return;
    const { sockets, findSocketOrigin } = this.#people;
    answerUpgrades(http, {
      ...{ sockets, load, requestLog, corsOrigins: config.corsOrigins },
      findSurface: paths.findSurface,
      findOrigin: findSocketOrigin,
      release: stopper.release,
    });
  }

  /** Writes the counted visits, and the runs of saved operations. */
  async flush(): Promise<void> {
    await Promise.all([this.#visitors.clicks.flush(), this.#people?.runs.write()]);
  }

  /** Ends all subscriptions and WebSockets, which would otherwise keep their connections open. */
  endSubscriptions(): void {
    this.#people?.sockets.drain();
    this.#people?.subscriptions.stop();
  }

  /** Closes all connections of clients; a stop then waits for none. */
  disconnect(): void {
    this.#opened.stopper.disconnect();
  }

  /** Tells proxies and clients to go elsewhere, while requests are still accepted. */
  drain(): void {
    this.#isStopping = true;
    this.endSubscriptions();
    this.#opened.stopper.drain();
  }

  /** Stops accepting, finishes the requests in flight and the background work, and closes the database. */
  async stop(): Promise<void> {
    const { stopper, metricsServer, database, replicas } = this.#opened;
    this.drain();
    const longWorks = this.#people?.longWorks.stop();
    await stopper.stop();
    if (metricsServer) metricsServer.close();
    // A database that hangs must not delay the exit, or the supervisor would kill the process.
    const stopped = withTimeout(
      STOP_TIMEOUT,
      Promise.all([longWorks, ...[...this.#background, ...this.#upkeep].map((one) => one.stop())]),
    );
    await Promise.all([stopped, this.#visitors.clicks.stop()]);
    await closeAll([database, ...replicas]);
  }
}

function listeningPort(server: Server): number | null {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : null;
}

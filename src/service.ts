import { randomInt } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { Logger } from 'pino';
import { OpenId } from './auth/openid.ts';
import { createAuthRouter } from './auth/router.ts';
import { ClickBuffer } from './clicks/click-buffer.ts';
import { baseUrlOf, type Config, consoleUrlOf } from './config.ts';
import { ChangeFeed } from './db/change/feed.ts';
import { changeRetention, settleEpoch } from './db/change/log.ts';
import { type Data, Database } from './db/database.ts';
import { withHints } from './db/error-hints.ts';
import { answerRetention } from './db/idempotency-answers.ts';
import { pendingMigrations } from './db/migration-state.ts';
import { Readers } from './db/postgresql/replicas.ts';
import { RetentionClock } from './db/retention-clock.ts';
import { StatisticsRetention } from './db/statistics/statistics-retention.ts';
import { requireProvider } from './db/url.ts';
import { createFirstKey } from './domain/access/api-key.ts';
import { unclearAccounts } from './domain/access/identity.ts';
import type { Mail } from './domain/access/mails.ts';
import { createWelcome, hasOwner } from './domain/access/sign-in.ts';
import { ChangeSubscriptions } from './domain/change/subscriptions.ts';
import { PlainKeys } from './domain/fill-plain-keys.ts';
import { KEPT_FOR } from './domain/idempotent-write.ts';
import { type HashCost, hashPassword, UserPasswords } from './domain/password.ts';
import { type Services, servicesOf } from './domain/services.ts';
import { HostHeld, shareDefaultDomain } from './domain/short-domain/default-domain.ts';
import { asciiOf, hostOf, isOnHost, withoutPort } from './domain/url.ts';
import { WebhookSender } from './domain/webhook/sender.ts';
import { createOwnerRequestOf, createRequestOf } from './graphql/context.ts';
import { createGraphQLHandler, schemaText } from './graphql/http.ts';
import type { TrustedDocuments } from './graphql/trusted-documents.ts';
import { consoleUrl, greeting } from './greeting.ts';
import { listen } from './http/bind-port.ts';
import { createGuard } from './http/guard.ts';
import { InFlight } from './http/limits/in-flight.ts';
import { LoadMeter } from './http/limits/load-meter.ts';
import type { Metrics } from './http/metrics.ts';
import { isForPeople } from './http/pages/pages.ts';
import { clientOf, trustOf } from './http/request/client.ts';
import type { CountryOf } from './http/request/country.ts';
import { KeyAccess } from './http/request/key-access.ts';
import { RequestLog } from './http/request/log.ts';
import { SessionCookies } from './http/request/session-cookie.ts';
import { answerRequests, createHttpServer, holdRequests, type ListenerDependencies } from './http/server.ts';
import { createStopper } from './http/stop-server.ts';
import { type TlsStatusOf, tlsStatuses } from './http/tls-ask.ts';
import { createWeb, writability } from './http/web.ts';
import { allValid, ConfigError, OperatorError } from './operator-error.ts';
import type { OperatorFiles } from './operator-files.ts';
import { createMailer } from './outgoing/mail.ts';
import { createPost } from './outgoing/post.ts';
import { createResolveHost, resolveTxt } from './outgoing/resolve.ts';
import { migrate, readFiles } from './prepare.ts';
import { refusedVisit, sendMessage } from './redirect/answer.ts';
import { createRedirectHandler } from './redirect/handler.ts';
import { LinkCache } from './redirect/link-cache.ts';
import { LinkSources } from './redirect/link-sources.ts';
import { createDownload } from './rest/download.ts';
import { openApi } from './rest/openapi/openapi.ts';
import { createRestRouter } from './rest/router.ts';
import { createSnapshot } from './rest/snapshot.ts';
import { withTimeout } from './shared/timeout.ts';
import { tracer } from './shared/tracing.ts';

/** How long the stop waits for pending writes, and for connections to the database to close, in milliseconds. */
const STOP_TIMEOUT = 8_000;
const CLOSE_TIMEOUT = 2_000;

/** What a process, a test or a benchmark gives beside the configuration. */
export interface Ports extends Pick<Services, 'random' | 'hashPassword' | 'resolveTxt'> {
  readonly log: Logger;
  /** The log until the service listens. */
  readonly startLog: Logger;
  /** Sends a mail; by default by SMTP_URL, if that is set. */
  readonly sendMail?: (mail: Mail) => void;
  /** The cost of hashing the passwords of users; by default the program's. */
  readonly hashCost?: HashCost;
  /** Prints the message of the first start. */
  print(text: string): void;
  now(): Date;
  resolveHost(host: string): Promise<readonly LookupAddress[]>;
  /** The number of this process among workers, whose primary has migrated the database; the first one makes the first key. */
  readonly worker?: number;
  /** Whether the background work runs: writing clicks, polling changes, delivering webhooks. */
  readonly background: boolean;
  /** Whether statistics of visits are counted. */
  readonly statistics: boolean;
  /** How many requests may be in flight; further ones get 503. */
  readonly maxInFlight: number;
  /** After how many milliseconds a client that neither sends nor reads is disconnected. */
  readonly idleTimeout?: number;
  /** How long the form of a visitor, and a body below `/auth/`, may take to arrive, in milliseconds. */
  readonly formTimeout?: number;
  /** The delays before the retries of a webhook's delivery, in milliseconds. */
  readonly webhookDelays?: readonly number[];
  /** How often webhooks are looked up, in milliseconds. */
  readonly webhookInterval?: number;
  /** How often the operator's files are checked for changes, in milliseconds. */
  readonly filesInterval?: number;
  /** Metrics that the caller serves, in place of those on METRICS_PORT. */
  readonly metrics?: Metrics | undefined;
  /** The only documents that `/graphql` executes, if TRUSTED_DOCUMENTS names none. */
  readonly trusted?: TrustedDocuments;
  /** Called for each statement, with its duration in seconds and the database's URL. */
  onStatement?(sql: string, seconds: number, url: string): void;
}

/** The ports of the program. */
const program = {
  print: (text: string) => void process.stdout.write(text),
  now: () => new Date(),
  random: randomInt,
  hashPassword,
  resolveTxt,
  resolveHost: createResolveHost(),
  background: true,
  statistics: true,
  maxInFlight: 1_000,
} satisfies Partial<Ports>;

/** Work that goes on beside the requests. */
interface Background {
  start(): void;
  stop(): Promise<void> | void;
}

/** What is open before the parts are connected. */
interface Opened {
  /** With the port that the service listens on, and the address at which its links are. */
  readonly config: Config & { readonly baseUrl: string };
  readonly database: Database;
  readonly replicas: readonly Database[];
  readonly defaultDomainId: number;
  readonly countryOf: CountryOf;
  readonly trusted: TrustedDocuments | undefined;
  readonly operatorFiles: OperatorFiles;
  readonly metrics: Metrics | undefined;
  readonly metricsServer: Server | false | undefined;
  readonly http: Server;
  /** Answers the requests that have waited since the port was opened. */
  answerHeld(): void;
  stopServer(): Promise<void>;
}

/** The whole service on one database and one port, put together from its configuration and its ports to the world. */
export class Service {
  readonly #opened: Opened;
  readonly #ports: Ports;
  readonly #background: readonly Background[];
  readonly #clicks: ClickBuffer;
  readonly #subscriptions: ChangeSubscriptions;
  readonly #openId: OpenId | null;
  readonly #listener: ListenerDependencies;
  /** What a proxy is told that asks before it gets a certificate. */
  readonly tlsStatusOf: TlsStatusOf;

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
    // Loaded only if needed, since loading takes time.
    const metrics =
      metricsPort === undefined ? ports.metrics : new (await import('./http/metrics.ts')).Metrics();
    const databases = await openDatabases(config, ports, metrics);
    const [database, ...replicas] = databases;
    const http = createHttpServer(ports);
    const stopServer = createStopper(http);
    const answerHeld = holdRequests(http);
    let service: Service | undefined;
    const metricsServer =
      metrics &&
      metricsPort !== undefined &&
      createServer(
        (await import('./http/metrics.ts')).metricsListener(
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
      const port = portOf(http) ?? config.port;
      const baseUrl = baseUrlOf({ ...config, port });
      const isForVisitors = config.role === 'redirects';
      if (!isForVisitors) await requireAccounts(database, config);
      if (!isForVisitors && config.consoleUrl !== undefined)
        await requireFreeConsole(database, config.consoleUrl);
      const defaultDomainId = isForVisitors
        ? await readDefaultDomain(databases)
        : await settleDefaultDomain(config, database, baseUrl, ports.now(), startLog);
      service = new Service(
        {
          config: { ...config, baseUrl, port },
          ...{ database, replicas, defaultDomainId, countryOf, trusted, operatorFiles },
          ...{ metrics, metricsServer, http, answerHeld, stopServer },
        },
        ports,
      );
      return service;
    } catch (error) {
      http.close();
      if (metricsServer) metricsServer.close();
      await closeAll(databases);
      throw error;
    }
  }

  /** Connects the parts. */
  private constructor(opened: Opened, ports: Ports) {
    this.#opened = opened;
    this.#ports = ports;
    const { config, database, replicas, countryOf, trusted, operatorFiles, metrics } = opened;
    const { baseUrl, trustProxy, graphiql } = config;
    const { log, now, random, hashPassword, resolveTxt } = ports;
    const requestLog = new RequestLog(log, metrics);
    const report = requestLog.fault.bind(requestLog);
    const trust = trustOf(trustProxy);
    const { lists } = operatorFiles;
    const { defaultDomainId } = opened;
    const isForVisitors = config.role === 'redirects';
    const { smtpUrl, smtpFrom } = config;
    const sendMail = ports.sendMail ?? (smtpUrl && smtpFrom ? createMailer(smtpUrl, smtpFrom, log) : null);
    const services = servicesOf(config, {
      ...{ defaultDomainId, lists, random, hashPassword, resolveTxt, sendMail },
    });

    // What tells of changes, also of other processes'.
    const feed = new ChangeFeed(database);
    const sources = new LinkSources({ database, feed }, isForVisitors ? replicas.map(asSource) : []);
    metrics?.watchDatabase(() => feed.away);
    metrics?.watchDisk(() => database.size(), database.freeSpace);

    // Visitors get redirects, which are counted, and pages of statistics.
    const clicks = new ClickBuffer(database, log, metrics, ports.statistics);
    this.#clicks = clicks;
    metrics?.watchClicks(
      () => clicks.unwritten,
      () => clicks.behind,
    );
    const links = new LinkCache(sources, services, config.linkCacheMegabytes, metrics);
    const visitors = createRedirectHandler({
      ...{ clicks, links, lists, trust, countryOf, now, report },
      scheme: services.scheme,
      publicStatistics: config.publicStatistics,
      formTimeout: ports.formTimeout,
    });
    const { consoleUrl } = config;
    const isOnConsole = (req: IncomingMessage) =>
      consoleUrl !== undefined && isOnHost(consoleUrl, clientOf(req, trust).host);
    // The console's own host serves no short links.
    const visit: RequestListener =
      consoleUrl === undefined
        ? visitors
        : (req, res) => (isOnConsole(req) ? sendMessage(req, res, 404, 'notFound') : visitors(req, res));
    // If the database cannot tell, only the host of BASE_URL, or of CONSOLE_URL, serves people.
    const servesPeople = async (req: IncomingMessage): Promise<boolean> => {
      const { host } = clientOf(req, trust);
      if (consoleUrl !== undefined) return isOnConsole(req);
      return isOnHost(baseUrl, host) || links.servesPeople(host).catch(() => false);
    };
    // If the database cannot tell, visitors get the service's own page.
    const rootUrlOf = async (req: IncomingMessage): Promise<string | null> => {
      const { host } = clientOf(req, trust);
      // The host of the console has its own page.
      if (isOnHost(consoleUrlOf(config), host)) return null;
      const url = await links.rootUrlOf(host).catch(() => null);
      return url === null || lists.blocksAddress(url) ? null : asciiOf(url);
    };

    // The two APIs: GraphQL, and v1 over the same schema.
    const readers = new Readers(database, replicas, config.maxReplicaLag, random, log);
    if (replicas.length > 0 && !isForVisitors) metrics?.watchReplicas(() => readers.lags());
    const cookies = new SessionCookies(consoleUrlOf(config), trust, config.corsOrigins);
    const access = new KeyAccess(database, feed, config.rateLimit, trust, cookies, servesPeople, now);
    const inFlight = new InFlight(ports.maxInFlight);
    const subscriptions = new ChangeSubscriptions(database, feed, now);
    this.#subscriptions = subscriptions;
    const common = { db: database, services, subscriptions, log };
    const requests = { common, access, readers, inFlight, now };
    const requestOf = createRequestOf(requests, true);
    const graphql = createGraphQLHandler({ graphiql, trusted, requestOf, report });
    const rest = createRestRouter({ baseUrl, requestOf: createRequestOf(requests, false), report });
    const passwords = new UserPasswords(ports.hashCost);
    this.#openId = OpenId.of(config, consoleUrlOf(config), log);
    const download = createDownload({ requestOf, report });
    const auth = createAuthRouter({
      download,
      db: database,
      ...{ passwords, cookies, access, trust, services, consoleUrl: consoleUrlOf(config) },
      ...{ openId: this.#openId, countriesAsOf: countryOf.asOf },
      ...{ now, report, bodyTimeout: ports.formTimeout },
      signInFailed: (way) => metrics?.signInFailed(way),
    });
    const snapshot = createSnapshot(createOwnerRequestOf(common, now));

    // Webhooks, and the deletion of what is old.
    const load = new LoadMeter();
    const retentionTime = new RetentionClock(database, now, log).read;
    const webhooks = new WebhookSender({
      db: database,
      ...{ feed, random, now, retentionTime, log, snapshot },
      delays: ports.webhookDelays,
      interval: ports.webhookInterval,
      post: createPost({ allowPrivate: config.allowPrivateWebhooks, resolve: ports.resolveHost }),
      waitUntilIdle: () => load.waitUntilIdle(),
      attempted: (outcome) => metrics?.webhookAttempt(outcome),
    });
    if (!isForVisitors) metrics?.watchWebhooks(() => webhooks.backlog(), now);
    const ofVisitors = [...sources.all.map((source) => source.feed), clicks, operatorFiles];
    const ofPeople = () => [
      ...[readers, access, webhooks],
      changeRetention(database, config.historyDays, retentionTime, log),
      new PlainKeys(database, log),
      new StatisticsRetention(database, config.statisticsMonths, now, log, { retention: retentionTime }),
      answerRetention(database, KEPT_FOR, retentionTime, log),
    ];
    this.#background = isForVisitors ? ofVisitors : [...ofVisitors, ...ofPeople()];

    this.tlsStatusOf = tlsStatuses([baseUrl, consoleUrlOf(config)], (host) => links.serves(host));

    // What answers a request.
    const web = createWeb({
      ...{ config, rest, auth, schemaText, openApi, visit, servesPeople, rootUrlOf, report },
      isReady: isForVisitors ? () => links.canRead() : writability(database, log),
      ...{ sendPage: sendMessage, tlsStatusOf: this.tlsStatusOf },
    });
    this.#listener = {
      ...{ visit, refusedVisit, web, servesPeople, inFlight, load, requestLog },
      graphql: isForVisitors ? web : graphql,
      isForPeople: (req, info) => !isForVisitors && isForPeople(req, info, graphiql),
      guard: createGuard({ corsOrigins: config.corsOrigins, baseUrl, consoleUrl, trust }),
    };
  }

  get database(): Database {
    return this.#opened.database;
  }

  get port(): number {
    return this.#opened.config.port;
  }

  /** Starts the background work, and answers requests. */
  async start(): Promise<void> {
    const { config, database, http, answerHeld } = this.#opened;
    const { log, startLog, worker = 1, background, now, print } = this.#ports;
    const isForVisitors = config.role === 'redirects';
    const isFirst = worker === 1 && !isForVisitors;
    if (background) for (const one of this.#background) one.start();
    // The first key is created last: if the start failed later, the key would be lost without being printed. With
    // INITIAL_API_KEY, every process makes sure that it exists before it answers.
    const { initialApiKey, host, port, baseUrl } = config;
    const firstKey =
      (isFirst || (initialApiKey !== undefined && !isForVisitors)) &&
      (await createFirstKey(database, now(), initialApiKey));
    if (!isForVisitors) this.#openId?.check();
    // On a host of its own, the console is on none that has pixels.
    if (isFirst && config.consoleUrl === undefined) await notePixels(database, startLog);
    answerRequests(http, this.#listener);
    answerHeld();
    if (isFirst && config.console) await this.#letOwnerIn(firstKey !== null && firstKey !== false);
    if (firstKey) print(greeting(initialApiKey === undefined ? firstKey : null, config, port));
    log.info({ host, port, baseUrl, database: database.provider }, 'listening');
  }

  /** Prints the link of the first owner on the first start; later, says how to make one. */
  async #letOwnerIn(isNew: boolean): Promise<void> {
    const { config, database } = this.#opened;
    const { print, startLog, now } = this.#ports;
    // With INITIAL_API_KEY, another worker may have made the account.
    const since = new Date(now().getTime() - 60_000);
    const old = { where: { createdAt: { lt: since } }, select: { id: true } };
    if (isNew || (await database.prisma.account.findFirst(old)) === null) {
      const token = await createWelcome(database, now());
      if (token !== null)
        print(`To become the owner, open ${consoleUrl(config, config.port)}/welcome#${token}\n`);
    } else if (!(await hasOwner(database)))
      startLog.info(
        'nobody can sign in yet: npm run users -- create --email EMAIL --account NAME --role owner',
      );
  }

  /** Writes the counted visits. */
  flush(): Promise<void> {
    return this.#clicks.flush();
  }

  /** Ends all subscriptions, which would otherwise keep their connections open. */
  endSubscriptions(): void {
    this.#subscriptions.stop();
  }

  /** Closes all connections of clients; a stop then waits for none. */
  disconnect(): void {
    this.#opened.http.closeAllConnections();
  }

  /** Stops accepting, finishes the requests in flight and the background work, and closes the database. */
  async stop(): Promise<void> {
    const { stopServer, metricsServer, database, replicas } = this.#opened;
    this.endSubscriptions();
    await stopServer();
    if (metricsServer) metricsServer.close();
    // A database that hangs must not delay the exit, or the supervisor would kill the process.
    await withTimeout(STOP_TIMEOUT, Promise.all(this.#background.map((one) => one.stop())));
    await closeAll([database, ...replicas]);
  }
}

function asSource(replica: Database) {
  return { database: replica, feed: new ChangeFeed(replica, true) };
}

async function closeAll(databases: readonly Database[]): Promise<void> {
  await withTimeout(CLOSE_TIMEOUT, Promise.all(databases.map((one) => one.close())));
}

function portOf(server: Server): number | null {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : null;
}

/** The database, and its replicas to read from. For visitors, any of them may be away. */
async function openDatabases(
  { databaseUrl, databaseDirectUrl: directUrl, databaseReadUrls, pool, role }: Config,
  { startLog, onStatement }: Ports,
  metrics: Metrics | undefined,
): Promise<[Database, ...Database[]]> {
  const open = (url: string, options = {}) =>
    Database.open(url, {
      pool,
      mayBeAway: role === 'redirects',
      ...((onStatement || metrics || tracer) && {
        onStatement(sql: string, seconds: number) {
          metrics?.statement(seconds);
          tracer?.statement(sql, seconds, requireProvider(url));
          onStatement?.(sql, seconds, url);
        },
      }),
      ...options,
    });
  const [database, ...replicas] = await Promise.all([
    open(databaseUrl, { directUrl }),
    ...databaseReadUrls.map((url) => withHints('DATABASE_READ_URLS', url, () => open(url))),
  ]);
  if (role === 'redirects') return [database, ...replicas];
  if (database.pooled && directUrl === undefined)
    startLog.warn(
      'DATABASE_URL is a connection pooler’s: without DATABASE_DIRECT_URL, changes are found by polling, and migrations cannot be made',
    );
  await settleEpoch(database);
  return [database, ...replicas];
}

/** @throws ConfigError if an account has the host of the console as a domain */
async function requireFreeConsole(db: Data, consoleUrl: string): Promise<void> {
  const hostKey = withoutPort(hostOf(consoleUrl));
  const held = await db.prisma.domain.findFirst({ where: { hostKey }, include: { account: true } });
  if (held?.account)
    throw new ConfigError(
      `CONSOLE_URL is "${consoleUrl}", but the account "${held.account.name}" has that host as a domain: use another ` +
        `URL, or remove the domain from the account: npm run domains -- remove ${held.name}`,
    );
}

/** Says what pixels cannot do, if there are any. */
async function notePixels(db: Data, log: Logger): Promise<void> {
  if ((await db.prisma.pixel.findFirst({ select: { id: true } })) === null) return;
  log.info(
    'pixels of links on the hosts of the console, such as that of BASE_URL, set no cookies, and some networks may not count ' +
      'them: on a domain of its own, an account’s pixels run as the network intends',
  );
}

/** @throws ConfigError if OIDC_ROLES gives roles in accounts that do not exist */
async function requireAccounts(db: Data, { oidcRoles }: Pick<Config, 'oidcRoles'>): Promise<void> {
  const unclear = await unclearAccounts(db, oidcRoles);
  if (unclear.length === 0) return;
  const names = unclear.map((name) => JSON.stringify(name)).join(', ');
  throw new ConfigError(
    `OIDC_ROLES gives roles in ${names}, which is no account, or the name of one and the id of another: ` +
      'use the name that npm run keys -- list shows, or the id in the path of the console.',
  );
}

/** The id of the default domain, from the first database that has it. @throws OperatorError if none is prepared */
async function readDefaultDomain(databases: readonly Database[]): Promise<number> {
  const read = async (db: Database): Promise<number> => {
    const isPrepared = (await pendingMigrations(db)).length === 0;
    const domain = isPrepared ? await db.prisma.domain.findFirst({ where: { isDefault: true } }) : null;
    if (domain !== null) return domain.id;
    throw new OperatorError(
      'ROLE is "redirects", but the database lacks migrations, or was never served: start a process with ROLE=all first.',
    );
  };
  return Promise.any(databases.map(read)).catch(({ errors }: AggregateError) => Promise.reject(errors[0]));
}

/** Makes the base URL's host the default domain, and gives its id. */
async function settleDefaultDomain(
  { notFoundUrl }: Pick<Config, 'notFoundUrl'>,
  db: Data,
  baseUrl: string,
  now: Date,
  log: Logger,
): Promise<number> {
  const { host } = new URL(baseUrl);
  const { id, renamed } = await shareDefaultDomain(db, host, notFoundUrl ?? null, now).catch(
    (error: unknown) => {
      if (!(error instanceof HostHeld)) throw error;
      throw new ConfigError(
        `BASE_URL is "${baseUrl}", but the account "${error.account}" has that host as a domain: use another ` +
          `URL, or remove the domain from the account: npm run domains -- remove ${error.host}`,
      );
    },
  );
  if (renamed)
    log.info(
      { from: renamed.from, to: host, links: renamed.links },
      'default domain renamed to the host of BASE_URL: its links work under the new host',
    );
  return id;
}

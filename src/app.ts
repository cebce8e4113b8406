import type { LookupAddress } from 'node:dns';
import type { Server } from 'node:http';
import express from 'express';
import type { Logger } from 'pino';
import type { AppConfig } from './config.ts';
import { AnswerRetention } from './db/answer-retention.ts';
import { onOwnChanges } from './db/change/log.ts';
import { ChangeRetention } from './db/change/retention.ts';
import { Revisions } from './db/change/revisions.ts';
import type { Database } from './db/connection/client.ts';
import { Replicas, withoutReplicas } from './db/connection/replicas.ts';
import { addKeyUses } from './db/key-use.ts';
import { StatisticsRetention } from './db/statistics/retention.ts';
import { Authentication } from './domain/access/authentication.ts';
import { KeysInUse } from './domain/access/keys-in-use.ts';
import { ChangeSubscriptions } from './domain/change/subscriptions.ts';
import { KEPT_FOR } from './domain/keyed-write.ts';
import type { OperatorLists } from './domain/link/operator-lists.ts';
import { verifyPassword } from './domain/password.ts';
import type { Site } from './domain/site.ts';
import { Webhooks } from './domain/webhook/service.ts';
import { createGraphQLHandler } from './http/graphql.ts';
import { livez, readyz } from './http/health.ts';
import { createGuard } from './http/limits/guard.ts';
import { InFlight } from './http/limits/in-flight.ts';
import { Load } from './http/limits/load.ts';
import { RateLimit } from './http/limits/rate-limit.ts';
import { answerRequests } from './http/listener.ts';
import type { Metrics } from './http/metrics.ts';
import { favicon, robots } from './http/pages/browser-files.ts';
import { addPages } from './http/pages/pages.ts';
import { schemaText } from './http/pages/schema-text.ts';
import { trustOf } from './http/request/client.ts';
import { createContextOf } from './http/request/context.ts';
import type { CountryOf } from './http/request/country.ts';
import { RequestLog } from './http/request/log.ts';
import { createOwnerContextOf } from './http/request/owner-context.ts';
import { createPost } from './outgoing/post.ts';
import { ClickBuffer } from './redirect/click-buffer.ts';
import { createRedirectHandler } from './redirect/handler.ts';
import { LinkCache } from './redirect/link-cache.ts';
import { VisitRecorder } from './redirect/visit-recorder.ts';
import { openApi } from './rest/openapi/openapi.ts';
import { createRestRouter } from './rest/router.ts';
import { createSnapshot } from './rest/snapshot.ts';
import { createGraphQLServer } from './schema/server/server.ts';
import type { TrustedDocuments } from './schema/server/trusted-documents.ts';

export interface AppDependencies extends AppConfig {
  readonly database: Database;
  /** Streaming replicas of the database, to read from. */
  readonly replicas?: readonly Database[];
  readonly baseUrl: string;
  /** The id of the domain that is the base URL's host. */
  readonly defaultDomainId: number;
  /** If given, the only documents that `/graphql` executes. */
  readonly trusted?: TrustedDocuments | undefined;
  /** Whether statistics of visits are counted; false only in benchmarks. */
  readonly statistics?: boolean;
  /** How many requests may be in flight; further ones get 503. */
  readonly maxInFlight?: number;
  readonly log: Logger;
  now(): Date;
  /** A random integer from 0 to below the given number. */
  random(below: number): number;
  hashPassword(owner: string, password: string): Promise<string>;
  /** The texts of a name's TXT records in DNS. */
  resolveTxt(name: string): Promise<readonly string[]>;
  /** All addresses of a host. */
  resolveHost(host: string): Promise<readonly LookupAddress[]>;
  /** The delays before the retries of a webhook's delivery, in milliseconds. */
  readonly webhookDelays?: readonly number[];
  readonly countryOf: CountryOf;
  readonly metrics?: Metrics | undefined;
  /** The operator's blocked hosts and reserved aliases. */
  readonly lists: OperatorLists;
}

export interface App {
  /** Makes it answer the server's requests. */
  attachTo(server: Server): void;
  /** Starts the background work. */
  start(): void;
  /** Ends all subscriptions, which would otherwise keep their connections open. */
  endSubscriptions(): void;
  /** Writes the counted visits. */
  flush(): Promise<void>;
  /** Stops the background work, and waits for pending writes. */
  stop(): Promise<void>;
}

/** Connects the parts of the program. Nothing listens or runs in the background until the caller starts it. */
export function createApp(dependencies: AppDependencies): App {
  const {
    database,
    replicas = [],
    baseUrl,
    defaultDomainId,
    trustProxy,
    graphiql,
    console,
    trusted,
    rateLimit,
    corsOrigins,
    historyDays,
    statisticsMonths,
    statistics = true,
    publicStatistics,
    maxInFlight = 1_000,
    log,
    now,
    random,
    hashPassword,
    verifiesDomains,
    resolveTxt,
    resolveHost,
    allowPrivateWebhooks,
    webhookDelays,
    countryOf,
    metrics,
    lists,
  } = dependencies;
  const site: Site = {
    scheme: new URL(baseUrl).protocol,
    defaultDomainId,
    random,
    hashPassword,
    verifyPassword,
    verifiesDomains,
    resolveTxt,
    lists,
  };
  const revisions = new Revisions(database);
  metrics?.watchDatabase(() => revisions.away);
  const readers =
    replicas.length > 0 ? new Replicas(database, replicas, random, log) : withoutReplicas(database);
  const links = new LinkCache(database.client, revisions, site, metrics);
  onOwnChanges(database.client, () => revisions.changed());
  const clicks = new ClickBuffer(database.client, log, statistics);
  const authentication = new Authentication(database.client, revisions, now);
  const keysInUse = new KeysInUse(database.client, revisions, now);
  const subscriptions = new ChangeSubscriptions(database.client, revisions.feed, now);
  const retention = new ChangeRetention(database.client, historyDays, now, log);
  const oldStatistics = new StatisticsRetention(database, statisticsMonths, now, log);
  const answers = new AnswerRetention(database.client, KEPT_FOR, now, log);
  const limit = new RateLimit(
    rateLimit,
    database.provider === 'postgresql' ? (uses) => addKeyUses(database.client, uses) : null,
  );
  const trust = trustOf(trustProxy);
  const server = createGraphQLServer({ graphiql, trusted });
  const inFlight = new InFlight(maxInFlight);
  const contextOf = createContextOf({
    database,
    readers,
    authentication,
    keysInUse,
    limit,
    inFlight,
    trust,
    site,
    subscriptions,
    log,
    now,
  });
  const ownerContextOf = createOwnerContextOf({ db: database.client, site, subscriptions, log, now });
  const load = new Load();
  const webhooks = new Webhooks({
    db: database.client,
    feed: revisions.feed,
    random,
    now,
    log,
    delays: webhookDelays,
    post: createPost({ allowPrivate: allowPrivateWebhooks, resolve: resolveHost }),
    snapshot: createSnapshot(server, ownerContextOf),
    waitUntilIdle: () => load.waitUntilIdle(),
    attempted: (outcome) => metrics?.webhookAttempt(outcome),
  });
  metrics?.watchWebhooks(() => webhooks.backlog(), now);
  const requestLog = new RequestLog(log, metrics);
  const report = requestLog.fault.bind(requestLog);

  const visits = new VisitRecorder([
    ({ visitor }) => {
      if (visitor.counts) metrics?.click();
    },
    (visit) => clicks.add(visit),
  ]);
  const graphql = createGraphQLHandler({
    server,
    graphiql,
    onlyTrusted: trusted !== undefined,
    contextOf,
    report,
  });
  const redirect = createRedirectHandler({
    db: database.client,
    links,
    lists,
    visits,
    settleClicks: clicks.settle.bind(clicks),
    trust,
    countryOf,
    scheme: site.scheme,
    publicStatistics,
    now,
    report,
  });
  const web = express();
  web.disable('x-powered-by').disable('etag').set('trust proxy', trustProxy).set('query parser', false);
  web.get('/livez', livez);
  web.get('/readyz', readyz(database));
  addPages(web, { graphiql, console }, openApi);
  // An existing link with this alias is reached while the console is off.
  if (!console) web.all('/console', redirect);
  web.get('/schema.graphql', schemaText);
  web.get('/favicon.ico', favicon);
  web.get('/robots.txt', robots);
  web.use('/api/v1', createRestRouter({ server, baseUrl, contextOf, report }));
  web.use((_req, res) => {
    res.status(404).json({ message: 'Nothing is here.', status: 404 });
  });

  const guard = createGuard({ corsOrigins, baseUrl, trust });
  const background = [
    revisions,
    readers,
    clicks,
    limit,
    keysInUse,
    retention,
    oldStatistics,
    webhooks,
    answers,
  ];
  return {
    attachTo: (http) =>
      answerRequests(http, { visit: redirect, graphql, web, guard, inFlight, load, requestLog }),
    start() {
      for (const one of background) one.start();
    },
    endSubscriptions: () => subscriptions.stop(),
    flush: () => clicks.flush(),
    async stop() {
      await Promise.all(background.map((one) => one.stop()));
      await authentication.stop();
    },
  };
}

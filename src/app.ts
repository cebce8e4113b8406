import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import express from 'express';
import type { Logger } from 'pino';
import { onOwnChanges } from './db/change/log.ts';
import { ChangeRetention } from './db/change/retention.ts';
import { Revisions } from './db/change/revisions.ts';
import type { Database } from './db/connection/client.ts';
import { Replicas, withoutReplicas } from './db/connection/replicas.ts';
import { addKeyUses } from './db/key-use.ts';
import { StatisticsRetention } from './db/statistics/retention.ts';
import { Authentication } from './domain/access/authentication.ts';
import { ChangeSubscriptions } from './domain/change/subscriptions.ts';
import { visibleError } from './domain/errors.ts';
import type { Site } from './domain/link/link.ts';
import { createGraphQLHandler } from './http/graphql.ts';
import { livez, readyz } from './http/health.ts';
import { createGuard, endUnlessComplete } from './http/limits/guard.ts';
import { InFlight } from './http/limits/in-flight.ts';
import { RateLimit } from './http/limits/rate-limit.ts';
import type { Metrics } from './http/metrics.ts';
import { favicon, robots } from './http/pages/browser-files.ts';
import { addPages } from './http/pages/pages.ts';
import { schemaText } from './http/pages/schema-text.ts';
import { trustOf } from './http/request/client.ts';
import { createContextOf } from './http/request/context.ts';
import type { CountryOf } from './http/request/country.ts';
import { beginExchange, type Exchange, exchangeOf } from './http/request/exchange.ts';
import { normalizeTarget } from './http/request/target.ts';
import { answerUnreadable, faultOf, refuseAsBusy, refuseAsFaulty } from './http/server.ts';
import { ClickBuffer } from './redirect/click-buffer.ts';
import { createRedirectHandler } from './redirect/handler.ts';
import { LinkCache } from './redirect/link-cache.ts';
import { VisitRecorder } from './redirect/visit.ts';
import { createRestRouter } from './rest/router.ts';
import { CompiledQueries } from './schema/server/compiled-queries.ts';
import { createGraphQLServer } from './schema/server/server.ts';
import type { TrustedDocuments } from './schema/server/trusted-documents.ts';

/** What the log and the metrics tell of a request whose client went before it was answered, as nginx does. */
const CLIENT_CLOSED_REQUEST = 499;

export interface AppDependencies {
  readonly database: Database;
  /** Streaming replicas of the database, to read from. */
  readonly replicas?: readonly Database[];
  readonly baseUrl: string;
  /** The id of the domain that is the base URL's host. */
  readonly defaultDomainId: number;
  readonly trustProxy: false | number | string;
  readonly graphiql: boolean;
  /** The only documents that `/graphql` executes, where there are any. */
  readonly trusted?: TrustedDocuments | undefined;
  /** Requests a minute for each key; 0 for no limit. */
  readonly rateLimit: number;
  /** Of which sites the pages may call the interfaces from a browser. */
  readonly corsOrigins: readonly string[];
  /** For how many days changes are kept; 0 for ever. */
  readonly historyDays: number;
  /** For how many months statistics are kept; 0 for ever. */
  readonly statisticsMonths: number;
  /** Whether links have pages of statistics for others; they have by default. */
  readonly publicStatistics?: boolean;
  /** Whether more than the clicks of visits is counted; it is, but where that is measured. */
  readonly statistics?: boolean;
  /** How many requests may be in flight; beyond them all get 503. */
  readonly maxInFlight?: number;
  readonly log: Logger;
  now(): Date;
  /** A whole number from 0 up to, and without, the given one. */
  random(below: number): number;
  hashPassword(password: string): Promise<string>;
  /** Whether a domain serves visitors only once it is verified. */
  readonly verifiesDomains: boolean;
  /** The texts of the TXT records that DNS has under a name. */
  resolveTxt(name: string): Promise<readonly string[]>;
  readonly countryOf: CountryOf;
  readonly metrics?: Metrics | undefined;
}

export interface App {
  /** Has it answer the server's requests from now on. */
  attachTo(server: Server): void;
  /** Starts what goes on beside the requests. */
  start(): void;
  /** Ends what would go on for as long as its readers like. */
  endSubscriptions(): void;
  /** Writes what is counted and not yet written. */
  flush(): Promise<void>;
  /** Ends it, and waits for what is still being written. */
  stop(): Promise<void>;
}

/** Wires the program together; nothing listens, and nothing runs in the background, until the caller says so. */
export function createApp(dependencies: AppDependencies): App {
  const {
    database,
    replicas = [],
    baseUrl,
    defaultDomainId,
    trustProxy,
    graphiql,
    trusted,
    rateLimit,
    corsOrigins,
    historyDays,
    statisticsMonths,
    statistics = true,
    publicStatistics = true,
    maxInFlight = 1_000,
    log,
    now,
    random,
    hashPassword,
    verifiesDomains,
    resolveTxt,
    countryOf,
    metrics,
  } = dependencies;
  const site: Site = {
    scheme: new URL(baseUrl).protocol,
    ...{ defaultDomainId, random, hashPassword, verifiesDomains, resolveTxt },
  };
  const revisions = new Revisions(database);
  metrics?.watchDatabase(() => revisions.away);
  const readers = replicas.length > 0 ? new Replicas(database, replicas) : withoutReplicas(database);
  const links = new LinkCache(database.client, revisions, site, metrics);
  onOwnChanges(database.client, () => revisions.changed());
  const clicks = new ClickBuffer(database.client, log, statistics);
  const authentication = new Authentication(database.client, revisions, now);
  const subscriptions = new ChangeSubscriptions(database.client, revisions.feed, now);
  revisions.watch('keys', () => void subscriptions.checkKeys().catch(() => {}));
  const retention = new ChangeRetention(database.client, historyDays, now, log);
  const oldStatistics = new StatisticsRetention(database.client, statisticsMonths, now, log);
  const limit = new RateLimit(
    rateLimit,
    database.provider === 'postgresql' ? (uses) => addKeyUses(database.client, uses) : null,
  );
  const trust = trustOf(trustProxy);
  // Only what is trusted is executed by its text, which the server alone knows.
  const compiled = trusted === undefined ? new CompiledQueries() : null;
  const server = createGraphQLServer({ graphiql, trusted, compiled });
  const contextOf = createContextOf({
    ...{ database, readers, authentication, limit, trust, site, subscriptions, log, now },
  });
  const report = (res: ServerResponse, error: unknown): void => {
    const what = { requestId: exchangeOf(res).requestId, err: error };
    if (visibleError(error)?.code === 'UNAVAILABLE') log.warn(what, 'database not available');
    else log.error(what, 'unexpected error');
  };

  const visits = new VisitRecorder([
    ({ visitor }) => {
      if (visitor.counts) metrics?.click();
    },
    (visit) => clicks.add(visit),
  ]);
  const graphql = createGraphQLHandler({ server, graphiql, contextOf, compiled, report });
  const redirect = createRedirectHandler({
    db: database.client,
    links,
    visits,
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
  addPages(web, graphiql);
  web.get('/schema.graphql', schemaText);
  web.get('/favicon.ico', favicon);
  web.get('/robots.txt', robots);
  web.use('/api/v1', createRestRouter({ server, baseUrl, contextOf, report }));
  web.use((_req, res) => {
    res.status(404).json({ message: 'Nothing is here.', status: 404 });
  });

  const guard = createGuard({ corsOrigins, isHttps: baseUrl.startsWith('https:') });
  const record = ({ statusCode, headersSent }: ServerResponse, exchange: Exchange): void => {
    const { requestId, surface, method, path, operation, actor, startedAt } = exchange;
    const status = headersSent ? statusCode : CLIENT_CLOSED_REQUEST;
    const seconds = (performance.now() - startedAt) / 1000;
    const ms = Math.round(seconds * 10_000) / 10;
    const who = { account: actor?.accountId, key: actor?.keyId };
    log.info({ requestId, method, path, operation, status, ms, ...who }, 'request');
    metrics?.request({ surface, operation, status, seconds, keyId: actor?.keyId });
  };
  const inFlight = new InFlight(maxInFlight);
  const listener: RequestListener = (req, res) => {
    const fault = faultOf(req);
    normalizeTarget(req);
    const exchange = beginExchange(req, res);
    const { surface, requestId } = exchange;
    const { socket } = req; // Not the request's any more when it is answered.
    const accepted = inFlight.begin(req, res, () => {
      endUnlessComplete(req, socket);
      record(res, exchange);
    });
    // GraphQL and visitors are answered before Express is reached. Those of visitors say all headers at once, which costs
    // a server of redirects a tenth of its time less than to set one before.
    if (accepted && fault === null && surface === 'visit') return redirect(req, res);
    res.setHeader('X-Request-Id', requestId);
    if (!accepted) return refuseAsBusy(res);
    if (fault !== null) return refuseAsFaulty(res, fault);
    if (surface !== 'other') res.setHeader('Cache-Control', 'private, no-store');
    guard(req, res, () => (surface === 'graphql' ? graphql : web)(req, res));
  };
  return {
    attachTo(server) {
      server.on('request', listener);
      // Node would answer these itself.
      server.on('checkExpectation', listener);
      server.on('clientError', (error, socket: Socket) => {
        const told = answerUnreadable(error, socket, inFlight.isAnswering(socket));
        if (told) log.info(told, 'request that could not be read');
      });
    },
    start() {
      revisions.start();
      readers.start();
      clicks.start();
      limit.start();
      subscriptions.start();
      retention.start();
      oldStatistics.start();
    },
    endSubscriptions: () => subscriptions.stop(),
    flush: () => clicks.flush(),
    async stop() {
      subscriptions.stop();
      await Promise.all(
        [revisions, readers, clicks, limit, retention, oldStatistics].map((one) => one.stop()),
      );
      await authentication.stop();
    },
  };
}

import type { RequestListener, ServerResponse } from 'node:http';
import express from 'express';
import type { Logger } from 'pino';
import type { Database } from './db/client.ts';
import { addKeyUses } from './db/key-use.ts';
import { Replicas, withoutReplicas } from './db/replicas.ts';
import { Revisions } from './db/revisions.ts';
import { Authentication } from './domain/authentication.ts';
import { visibleError } from './domain/errors.ts';
import type { Site } from './domain/link.ts';
import { AnswerCache } from './http/answer-cache.ts';
import { favicon, robots } from './http/browser-files.ts';
import { trustOf } from './http/client.ts';
import { createContextOf } from './http/context.ts';
import type { CountryOf } from './http/country.ts';
import { beginExchange, type Exchange, exchangeOf } from './http/exchange.ts';
import { createGraphQLHandler } from './http/graphql.ts';
import { createGuard, endUnlessComplete, refuseAsBusy } from './http/guard.ts';
import { livez, readyz } from './http/health.ts';
import type { Metrics } from './http/metrics.ts';
import { addPages } from './http/pages.ts';
import { RateLimit } from './http/rate-limit.ts';
import { schemaText } from './http/schema-text.ts';
import { ClickBuffer } from './redirect/click-buffer.ts';
import { createRedirectHandler } from './redirect/handler.ts';
import { LinkCache } from './redirect/link-cache.ts';
import { createRestRouter } from './rest/router.ts';
import { createGraphQLServer } from './schema/server.ts';
import type { TrustedDocuments } from './schema/trusted-documents.ts';

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
  /** How many requests may be in flight; beyond them all get 503. */
  readonly maxInFlight?: number;
  readonly log: Logger;
  now(): Date;
  /** A whole number from 0 up to, and without, the given one. */
  random(below: number): number;
  hashPassword(password: string): Promise<string>;
  readonly countryOf: CountryOf;
  readonly metrics?: Metrics | undefined;
}

export interface App {
  readonly listener: RequestListener;
  /** Starts what goes on beside the requests. */
  start(): void;
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
    maxInFlight = 1_000,
    log,
    now,
    random,
    hashPassword,
    countryOf,
    metrics,
  } = dependencies;
  const site: Site = { scheme: new URL(baseUrl).protocol, defaultDomainId, random, hashPassword };
  const revisions = new Revisions(database);
  const readers = replicas.length > 0 ? new Replicas(database, replicas) : withoutReplicas(database);
  const links = new LinkCache(database.client, revisions, defaultDomainId, metrics);
  const clicks = new ClickBuffer(database.client, log);
  const authentication = new Authentication(database.client, revisions, now);
  const limit = new RateLimit(
    rateLimit,
    database.provider === 'postgresql' ? (uses) => addKeyUses(database.client, uses) : null,
  );
  const trust = trustOf(trustProxy);
  const server = createGraphQLServer({ graphiql, trusted });
  const contextOf = createContextOf({
    ...{ database, readers, authentication, limit, trust, site, log, now },
    linksChanged: () => links.clear(),
  });
  // Replicas answer of moments of their own.
  const answers = replicas.length > 0 ? null : new AnswerCache(() => database.state());
  const report = (res: ServerResponse, error: unknown): void => {
    const what = { requestId: exchangeOf(res).requestId, err: error };
    if (visibleError(error)?.code === 'UNAVAILABLE') log.warn(what, 'database not available');
    else log.error(what, 'unexpected error');
  };

  const graphql = createGraphQLHandler({ server, graphiql, contextOf, answers, report });
  const redirect = createRedirectHandler({
    db: database.client,
    links,
    clicks,
    trust,
    countryOf,
    metrics,
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
  web.use('/api/v1', createRestRouter({ server, baseUrl, contextOf, answers, report }));
  web.use((_req, res) => {
    res.status(404).json({ message: 'Nothing is here.', status: 404 });
  });

  const guard = createGuard({ corsOrigins, isHttps: baseUrl.startsWith('https:') });
  const record = ({ statusCode: status }: ServerResponse, exchange: Exchange): void => {
    const { requestId, surface, method, path, operation, actor, startedAt } = exchange;
    const seconds = (performance.now() - startedAt) / 1000;
    const ms = Math.round(seconds * 10_000) / 10;
    const who = { account: actor?.accountId, key: actor?.keyId };
    log.info({ requestId, method, path, operation, status, ms, ...who }, 'request');
    metrics?.request({ surface, operation, status, seconds, keyId: actor?.keyId });
  };
  let inFlight = 0;
  const listener: RequestListener = (req, res) => {
    const exchange = beginExchange(req, res);
    const { surface, requestId } = exchange;
    const accepted = inFlight < maxInFlight;
    if (accepted) inFlight++;
    const { socket } = req; // Not the request's any more when it is answered.
    res.once('close', () => {
      if (accepted) inFlight--;
      endUnlessComplete(req, socket);
      record(res, exchange);
    });
    // GraphQL and visitors are answered before Express is reached. Those of visitors say all headers at once, which costs
    // a server of redirects a tenth of its time less than to set one before.
    if (accepted && surface === 'visit') return redirect(req, res);
    res.setHeader('X-Request-Id', requestId);
    if (!accepted) return refuseAsBusy(res);
    guard(surface, req, res, () => (surface === 'graphql' ? graphql : web)(req, res));
  };
  return {
    listener,
    start() {
      revisions.start();
      readers.start();
      clicks.start();
      limit.start();
    },
    flush: () => clicks.flush(),
    async stop() {
      await Promise.all([revisions.stop(), readers.stop(), clicks.stop(), limit.stop()]);
      await authentication.stop();
    },
  };
}

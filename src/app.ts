import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express from 'express';
import type { Logger } from 'pino';
import type { Database } from './db/client.ts';
import { addKeyUses } from './db/key-use.ts';
import { ListReader } from './db/list-reader.ts';
import { Replicas, withoutReplicas } from './db/replicas.ts';
import { Revisions } from './db/revisions.ts';
import type { Actor } from './domain/actor.ts';
import { isReserved } from './domain/alias.ts';
import { Authentication } from './domain/authentication.ts';
import { visibleError } from './domain/errors.ts';
import type { Site } from './domain/link.ts';
import { favicon, robots } from './http/browser-files.ts';
import { clientOf, trustOf } from './http/client.ts';
import type { CountryOf } from './http/country.ts';
import { createGraphQLHandler } from './http/graphql.ts';
import { createGuard, refuseAsBusy } from './http/guard.ts';
import { livez, readyz } from './http/health.ts';
import type { Metrics, Surface } from './http/metrics.ts';
import { addPages } from './http/pages.ts';
import { RateLimit } from './http/rate-limit.ts';
import { nameRequest } from './http/request-id.ts';
import { schemaText } from './http/schema-text.ts';
import { ClickBuffer } from './redirect/click-buffer.ts';
import { createRedirectHandler } from './redirect/handler.ts';
import { LinkCache } from './redirect/link-cache.ts';
import { createRestRouter } from './rest/router.ts';
import type { Context } from './schema/context.ts';
import { createGraphQLServer } from './schema/server.ts';

export interface AppDependencies {
  readonly database: Database;
  /** Streaming replicas of the database, to read from. */
  readonly replicas?: readonly Database[];
  readonly baseUrl: string;
  /** The id of the domain that is the base URL's host. */
  readonly defaultDomainId: number;
  readonly trustProxy: false | number | string;
  readonly graphiql: boolean;
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

/** Files that the service has beside its reserved paths; no alias has a dot. */
const files = new Set(['', 'openapi.json', 'schema.graphql', 'favicon.ico', 'robots.txt']);

function isServicePath(path = ''): boolean {
  const [, part = ''] = path.split('/', 2);
  return files.has(part) || isReserved(part);
}

function surfaceOf(path = ''): Surface {
  if (!isServicePath(path)) return 'visit';
  if (isGraphQL(path)) return 'graphql';
  return path.startsWith('/api/v1') ? 'v1' : 'other';
}

function isGraphQL(path: string | undefined): boolean {
  return path === '/graphql' || path === '/graphql/';
}

/** What is known of a request while it is answered. */
interface Exchange {
  readonly requestId: string;
  actor?: Actor;
  /** What was executed, as the log and the metrics name it. */
  operation?: string;
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
    rateLimit,
    corsOrigins,
    maxInFlight = 1_000,
    log,
    now,
    random,
    countryOf,
    metrics,
  } = dependencies;
  const site: Site = { scheme: new URL(baseUrl).protocol, defaultDomainId, random };
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
  const server = createGraphQLServer({ graphiql });
  const exchanges = new WeakMap<ServerResponse, Exchange>();

  const contextOf = async (req: IncomingMessage, res: ServerResponse): Promise<Context> => {
    const actor = await authentication
      .authenticate(req.headers.authorization)
      .catch(async (error: unknown) => {
        if (visibleError(error)?.code === 'UNAUTHENTICATED')
          await limit.takeWrongKey(clientOf(req, trust).address);
        throw error;
      });
    const exchange = exchanges.get(res);
    if (exchange) exchange.actor = actor;
    await limit.take(actor.keyId, res);
    const db = database.client;
    const requestId = exchange?.requestId ?? '';
    return {
      db,
      lists: new ListReader(db),
      reader: () => readers.readerFor(actor.accountId),
      async wrote() {
        links.clear();
        await readers.wrote(actor.accountId);
      },
      actor,
      site,
      requestId,
      log,
      named(operation) {
        if (exchange) exchange.operation ??= operation;
      },
      now: now(),
    };
  };
  const report = (res: ServerResponse, error: unknown): void => {
    const what = { requestId: exchanges.get(res)?.requestId, err: error };
    if (visibleError(error)?.code === 'UNAVAILABLE') log.warn(what, 'database not available');
    else log.error(what, 'unexpected error');
  };

  const graphql = createGraphQLHandler({ server, graphiql, contextOf, report });
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
  web.use('/api/v1', createRestRouter({ server, baseUrl, contextOf, report }));
  web.use((_req, res) => {
    res.status(404).json({ message: 'Nothing is here.', status: 404 });
  });

  const guard = createGuard({
    corsOrigins,
    isHttps: baseUrl.startsWith('https:'),
    isGraphQL: ({ url }) => isGraphQL(url?.split('?', 1)[0]),
  });
  let inFlight = 0;
  const listener: RequestListener = (req, res) => {
    if (inFlight >= maxInFlight) return refuseAsBusy(res);
    inFlight++;
    const exchange: Exchange = { requestId: nameRequest(res) };
    const startedAt = performance.now();
    // Without the query, which may hold what is nobody's business.
    const path = (req.url ?? '').split('?', 1)[0];
    exchanges.set(res, exchange);
    res.once('close', () => {
      inFlight--;
      const seconds = (performance.now() - startedAt) / 1000;
      const { requestId, actor, operation } = exchange;
      const { statusCode: status } = res;
      const ms = Math.round(seconds * 10_000) / 10;
      const who = { account: actor?.accountId, key: actor?.keyId };
      log.info({ requestId, method: req.method, path, operation, status, ms, ...who }, 'request');
      metrics?.request({ surface: surfaceOf(path), operation, status, seconds, keyId: actor?.keyId });
    });
    // GraphQL and visitors are answered before Express is reached. Those of visitors say all headers at once, which costs
    // a server of redirects a tenth of its time less than to set one before.
    if (!isServicePath(path)) return redirect(req, res);
    res.setHeader('X-Request-Id', exchange.requestId);
    guard(req, res, () => (isGraphQL(path) ? graphql : web)(req, res));
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

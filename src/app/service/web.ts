import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response, Router } from 'express';
import express from 'express';
import type { Logger } from 'pino';
import type { ImageFormat } from '../../db/images.ts';
import { logoInPath } from '../../domain/access/brand.ts';
import { hashInPath } from '../../domain/link/preview.ts';
import { type AppFile, appFiles } from '../../domain/short-domain/apps.ts';
import { sendAsset } from '../../engine/http/pages/assets.ts';
import { ofAsset, ofPage } from '../../engine/http/pages/pages.ts';
import { readReadiness } from '../../engine/http/readiness.ts';
import { prefersHtml } from '../../engine/http/request/accept.ts';
import { RETRY_AFTER } from '../../engine/rules/errors.ts';
import { keysOf } from '../../engine/tools/keys-of.ts';
import { RepeatedFault } from '../../engine/tools/repeated-fault.ts';
import { favicon } from '../../generated/look.ts';
import type { Config } from '../config.ts';
import { TLS_ASK, type TlsStatusOf, tlsListener } from './tls-ask.ts';

/** A page of visitors that says why they get nothing else. */
type Page = 'notFound' | 'unavailable';

interface ForPeople {
  readonly rest: Router;
  readonly auth: Router;
  readonly schemaText: RequestHandler;
  /** Describes v1. */
  openApi(): object;
}

export interface WebDependencies {
  readonly config: Pick<Config, 'trustProxy' | 'graphiql' | 'console'>;
  /** @throws if the database is not ready */
  requireReady(): Promise<void>;
  isStopping(): boolean;
  /** True if requests go out. */
  readonly sideEffects: boolean;
  readonly log: Logger;
  /** The parts for people and their programs; null in a process for visitors only. */
  readonly people: ForPeople | null;
  readonly visit: RequestListener;
  readonly tlsStatusOf: TlsStatusOf;
  servesPeople(req: IncomingMessage): Promise<boolean>;
  /** Where the root of the requested host leads, in ASCII; null for a page of the service. */
  rootUrlOf(req: IncomingMessage): Promise<string | null>;
  /** A file that systems of phones ask the requested host for; null if it has none. */
  appFileOf(req: IncomingMessage, file: AppFile): Promise<string | null>;
  /** The image with this hash and format, in base64, if the requested host has it; null for none. */
  imageOf(req: IncomingMessage, hash: string, format: ImageFormat): Promise<string | null>;
  /** Sends the page at the root of a host that is not for people, and that of one for people. */
  sendRoot(req: IncomingMessage, res: ServerResponse): Promise<void>;
  sendStart(req: IncomingMessage, res: ServerResponse): Promise<void>;
  sendPage(req: IncomingMessage, res: ServerResponse, status: number, page: Page): void;
  /** Logs why a request failed. */
  report(res: ServerResponse, error: unknown): void;
}

/** Creates the routes that use Express: v1, the pages and the health checks. */
export function createWeb(dependencies: WebDependencies): Express {
  const { config, people, visit, tlsStatusOf, sendPage, report } = dependencies;
  /** People get a page, and programs JSON. */
  const refuse = (req: Request, res: Response, status: number, message: string, page: Page) => {
    res.vary('Accept').set('Cache-Control', 'private, no-store');
    if (prefersHtml(req.headers.accept)) sendPage(req, res, status, page);
    else res.status(status).json({ message, status });
  };
  const nothingHere: RequestHandler = (req, res) =>
    people ? refuse(req, res, 404, 'Nothing is here.', 'notFound') : sendPage(req, res, 404, 'notFound');
  // Express itself would show and log the stack.
  const failed: ErrorRequestHandler = (error: unknown, req, res, next) => {
    // Express could not decode the path.
    if (error instanceof URIError) return nothingHere(req, res, next);
    report(res, error);
    if (res.headersSent) res.destroy();
    else refuse(req, res, 500, 'Server Error', 'unavailable');
  };
  const web = express();
  web
    .disable('x-powered-by')
    .disable('etag')
    .set('trust proxy', config.trustProxy)
    .set('query parser', false);
  web.get('/livez', livez);
  web.get('/livez/serving', serving(dependencies));
  web.get('/readyz', readyz(dependencies));
  web.get(TLS_ASK, tlsListener(tlsStatusOf));
  web.get('/', rootPage(dependencies));
  // An existing link with this alias is reached while the console is off.
  if (!config.console || !people) web.all('/console', visit);
  // Browsers request it with every page.
  web.get('/favicon.ico', (_req, res) => {
    res.set('Cache-Control', 'public, max-age=86400').type('image/svg+xml').send(favicon);
  });
  web.get('/inter.woff2', (req, res) => {
    sendAsset(req, res, 'inter.woff2', ofAsset);
  });
  // Crawlers may follow short links and read images of previews and logos, but not use the APIs.
  web.get('/robots.txt', (_req, res) => {
    const rules = ['Allow: /api/brand/', 'Allow: /api/preview/', 'Disallow: /api/', 'Disallow: /graphql'];
    res.type('text/plain').send(`User-agent: *\n${rules.join('\n')}\n`);
  });
  for (const file of keysOf(appFiles)) web.get(`/.well-known/${file}`, appFile(file, dependencies));
  web.get('/api/preview/:name', image('jpeg', hashInPath, dependencies));
  web.get('/api/brand/:name', image('png', logoInPath, dependencies));
  if (people) {
    addPages(web, config, people);
    web.get('/schema.graphql', people.schemaText);
    web.use('/api/v1', people.rest);
    web.use('/auth', people.auth);
  }
  web.use(nothingHere);
  web.use(failed);
  return web;
}

/** The file by which systems of phones know the apps of the domain. They follow no redirect. */
function appFile(file: AppFile, { appFileOf, report }: WebDependencies): RequestHandler {
  return async (req, res, next) => {
    let content: string | null;
    try {
      content = await appFileOf(req, file);
    } catch (error) {
      report(res, error);
      return void res
        .status(503)
        .set({ ...NOT_CACHED, 'Retry-After': String(RETRY_AFTER) })
        .end();
    }
    if (content === null) return next();
    res.set('Cache-Control', 'public, max-age=300').type('json').send(content);
  };
}

/** An image of a preview, or a logo. The name has a hash of its content, so that it may be kept for ever. */
function image(
  format: ImageFormat,
  hashIn: (path: string) => string | null,
  { imageOf }: WebDependencies,
): RequestHandler {
  return async (req, res, next) => {
    const hash = hashIn(req.path);
    const content = hash === null ? null : await imageOf(req, hash, format);
    if (content === null) return next();
    res
      .set({
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Cross-Origin-Resource-Policy': 'cross-origin',
        'X-Content-Type-Options': 'nosniff',
      })
      .type(`image/${format}`)
      .send(Buffer.from(content, 'base64'));
  };
}

/** The redirect of the domain's root, or else the start page on hosts for people, and a page with the host's name elsewhere. */
function rootPage({ people, servesPeople, rootUrlOf, sendRoot, sendStart }: WebDependencies): RequestHandler {
  return async (req, res, next) => {
    const location = await rootUrlOf(req);
    if (location !== null)
      return void res.status(302).set({ Location: location, 'Cache-Control': 'private, no-store' }).end();
    if (!(await servesPeople(req))) return sendRoot(req, res);
    if (!people) return next();
    return sendStart(req, res);
  };
}

/** The pages for people with their assets: v1's documentation, the guides, and the console. */
function addPages(web: Express, config: Pick<Config, 'console' | 'graphiql'>, { openApi }: ForPeople): void {
  // Built once, so that any number of answers that wait for slow readers share the memory.
  let v1: Buffer | undefined;
  const guides = config.graphiql ? 'guides' : 'guides-without-graphiql';
  web.get('/docs', (req, res) => {
    sendAsset(req, res, 'docs.html', ofPage);
  });
  web.get('/docs/guides', (req, res) => {
    sendAsset(req, res, `${guides}.html`, ofPage);
  });
  web.get('/docs/guides/:name', (req, res, next) => {
    if (!sendAsset(req, res, `guide-${req.params.name}.html`, ofPage)) next();
  });
  web.get('/docs/assets/:name', (req, res, next) => {
    if (!sendAsset(req, res, req.params.name, ofAsset)) next();
  });
  web.get('/docs/*name', (req, res, next) => {
    if (!prefersHtml(req.headers.accept)) return next();
    const headers = { 'Cache-Control': 'private, no-store', Vary: 'Accept, Accept-Encoding' };
    if (!sendAsset(req, res.status(404), `no-${guides}.html`, { ...ofPage, ...headers })) next();
  });
  if (config.console) {
    web.get('/console/assets/:name', (req, res, next) => {
      if (!sendAsset(req, res, req.params.name, ofAsset, 'console/assets')) next();
    });
    // The console itself finds out what a path below it shows.
    web.get(/^\/console(?:\/(?!assets\/).*)?$/i, (req, res, next) => {
      if (!sendAsset(req, res, 'index.html', ofPage, 'console')) next();
    });
  }
  web.get('/openapi.json', (_req, res) => {
    v1 ??= Buffer.from(JSON.stringify(openApi()));
    res.type('json').send(v1);
  });
}

const NOT_CACHED = { 'Cache-Control': 'no-store' };

const livez: RequestHandler = (_req, res) => {
  res.set(NOT_CACHED).json({ status: 'ok' });
};

/** 200 unless the process stops, so that proxies send requests elsewhere. It depends on nothing else. */
function serving({ isStopping }: WebDependencies): RequestHandler {
  return (_req, res) => {
    const stops = isStopping();
    res
      .set(NOT_CACHED)
      .status(stops ? 503 : 200)
      .json({ status: stops ? 'unavailable' : 'ok' });
  };
}

/** 200 when the database is ready, else 503, and the log says why; 503 also during a stop, so that requests are sent elsewhere. */
function readyz({ requireReady, isStopping, sideEffects, log }: WebDependencies): RequestHandler {
  const fault = new RepeatedFault(log, 'not ready');
  return async (_req, res) => {
    const found = await readReadiness(requireReady, isStopping);
    if (found === null || found.reason === 'stopping') fault.ended();
    else fault.occurred(found.error, () => ({ reason: found.reason }));
    res
      .set(NOT_CACHED)
      .status(found === null ? 200 : 503)
      .json({ status: found === null ? 'ok' : 'unavailable', ...(!sideEffects && { sideEffects: 'off' }) });
  };
}

import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { favicon } from '../generated/look.ts';
import { livez, readyz } from './health.ts';
import { sendAsset } from './pages/assets.ts';
import { ofAsset, ofPage } from './pages/pages.ts';
import { startPage } from './pages/start-page.ts';

/** A page of visitors that says why they get nothing else. */
type Page = 'notFound' | 'unavailable';

export interface WebDependencies {
  readonly config: Pick<Config, 'trustProxy' | 'graphiql' | 'console' | 'publicStatistics'>;
  readonly database: Database;
  readonly log: Logger;
  readonly rest: Router;
  readonly auth: Router;
  readonly schemaText: RequestHandler;
  /** Describes v1. */
  openApi(): object;
  readonly visit: RequestListener;
  servesPeople(req: IncomingMessage): Promise<boolean>;
  sendPage(req: IncomingMessage, res: ServerResponse, status: number, page: Page): void;
  /** Logs why a request failed. */
  report(res: ServerResponse, error: unknown): void;
}

/** What goes through Express: v1, the pages and the health checks. */
export function createWeb(dependencies: WebDependencies): Express {
  const { config, database, log, rest, auth, schemaText, visit, sendPage, report } = dependencies;
  /** People get a page, and programs JSON. */
  const refuse = (req: Request, res: Response, status: number, message: string, page: Page) => {
    res.vary('Accept').set('Cache-Control', 'private, no-store');
    if (req.accepts(['json', 'html']) === 'html') sendPage(req, res, status, page);
    else res.status(status).json({ message, status });
  };
  const nothingHere: RequestHandler = (req, res) => refuse(req, res, 404, 'Nothing is here.', 'notFound');
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
  web.get('/readyz', readyz(database, log));
  addPages(web, dependencies);
  // An existing link with this alias is reached while the console is off.
  if (!config.console) web.all('/console', visit);
  web.get('/schema.graphql', schemaText);
  // Browsers request it with every page.
  web.get('/favicon.ico', (_req, res) => {
    res.set('Cache-Control', 'public, max-age=86400').type('image/svg+xml').send(favicon);
  });
  // Crawlers may follow short links, but not use the APIs.
  web.get('/robots.txt', (_req, res) => {
    res.type('text/plain').send('User-agent: *\nDisallow: /api/\nDisallow: /graphql\n');
  });
  web.use('/api/v1', rest);
  web.use('/auth', auth);
  web.use(nothingHere);
  web.use(failed);
  return web;
}

/** The start page at `/`, and the pages for people with their assets: v1's documentation, and the console. */
function addPages(web: Express, { config, openApi, servesPeople }: WebDependencies): void {
  // Built once, so that any number of answers that wait for slow readers share the memory.
  let v1: Buffer | undefined;
  const home = Buffer.from(startPage({ ...config, docs: true }));
  const withoutPages = Buffer.from(startPage({ ...config, graphiql: false, console: false, docs: false }));
  web.get('/', async (req, res) => {
    const html = (await servesPeople(req)) ? home : withoutPages;
    res.set(ofPage).type('html').send(html);
  });
  web.get('/docs', (req, res) => {
    sendAsset(req, res, 'docs.html', ofPage);
  });
  web.get('/docs/assets/:name', (req, res, next) => {
    if (!sendAsset(req, res, req.params.name, ofAsset)) next();
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

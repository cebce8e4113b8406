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
import { livez, readyz } from './health.ts';
import { favicon, robots } from './pages/browser-files.ts';
import { addPages } from './pages/pages.ts';

/** A page of visitors that says why they get nothing else. */
type Page = 'notFound' | 'unavailable';

export interface WebDependencies {
  readonly config: Pick<Config, 'trustProxy' | 'graphiql' | 'console' | 'publicStatistics'>;
  readonly database: Database;
  readonly log: Logger;
  readonly rest: Router;
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
  const { config, database, log, rest, schemaText, openApi, visit, servesPeople, sendPage, report } =
    dependencies;
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
  addPages(web, config, openApi, servesPeople);
  // An existing link with this alias is reached while the console is off.
  if (!config.console) web.all('/console', visit);
  web.get('/schema.graphql', schemaText);
  web.get('/favicon.ico', favicon);
  web.get('/robots.txt', robots);
  web.use('/api/v1', rest);
  web.use(nothingHere);
  web.use(failed);
  return web;
}

import express, {
  type ErrorRequestHandler,
  type Express,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { schemaText } from '../graphql/schema-text.ts';
import { livez, readyz } from '../http/health.ts';
import { favicon, robots } from '../http/pages/browser-files.ts';
import { addPages } from '../http/pages/pages.ts';
import { sendMessage } from '../redirect/answer.ts';
import type { Message } from '../redirect/translations.ts';
import { openApi } from '../rest/openapi/openapi.ts';
import type { Apis } from './apis.ts';
import type { AppDependencies, Shared } from './dependencies.ts';
import type { Visitors } from './visitors.ts';

/** People get a page, and programs JSON. */
function refuse(req: Request, res: Response, status: number, message: string, page: Message): void {
  res.vary('Accept').set('Cache-Control', 'private, no-store');
  if (req.accepts(['json', 'html']) === 'html') sendMessage(req, res, status, page);
  else res.status(status).json({ message, status });
}

const nothingHere: RequestHandler = (req, res) => refuse(req, res, 404, 'Nothing is here.', 'notFound');

/** Answers errors in place of Express, which would show and log their stacks. */
function errorHandler(report: Shared['report']): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    // Express could not decode the path.
    if (error instanceof URIError) return nothingHere(req, res, next);
    report(res, error);
    if (res.headersSent) res.destroy();
    else refuse(req, res, 500, 'Server Error', 'unavailable');
  };
}

/** What goes through Express: v1, the pages and the health checks. */
export function createWeb(
  { database, trustProxy, graphiql, console, publicStatistics, log }: AppDependencies,
  { report }: Pick<Shared, 'report'>,
  { rest }: Apis,
  { handler: visit, servesPeople }: Visitors,
): Express {
  const web = express();
  web.disable('x-powered-by').disable('etag').set('trust proxy', trustProxy).set('query parser', false);
  web.get('/livez', livez);
  web.get('/readyz', readyz(database, log));
  addPages(web, { graphiql, console, publicStatistics }, openApi, servesPeople);
  // An existing link with this alias is reached while the console is off.
  if (!console) web.all('/console', visit);
  web.get('/schema.graphql', schemaText);
  web.get('/favicon.ico', favicon);
  web.get('/robots.txt', robots);
  web.use('/api/v1', rest);
  web.use(nothingHere);
  web.use(errorHandler(report));
  return web;
}

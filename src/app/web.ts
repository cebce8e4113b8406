import express, { type Express } from 'express';
import { livez, readyz } from '../http/health.ts';
import { favicon, robots } from '../http/pages/browser-files.ts';
import { addPages } from '../http/pages/pages.ts';
import { schemaText } from '../http/pages/schema-text.ts';
import { openApi } from '../rest/openapi/openapi.ts';
import type { Apis } from './apis.ts';
import type { AppDependencies } from './dependencies.ts';
import type { Visitors } from './visitors.ts';

/** What goes through Express: v1, the pages and the health checks. */
export function createWeb(
  { database, trustProxy, graphiql, console, publicStatistics, log }: AppDependencies,
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
  web.use((_req, res) => {
    res.status(404).json({ message: 'Nothing is here.', status: 404 });
  });
  return web;
}

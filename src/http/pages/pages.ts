import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { sendAsset } from './assets.ts';
import { type StartPageOptions, startPage } from './start-page.ts';

/** Pages load nothing from other hosts; `data:` is for icons and fonts in the libraries' styles. */
const POLICY = [
  "default-src 'none'",
  ...[
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
  ],
  ...[
    "connect-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ],
].join('; ');

const ofPage = { 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' };
/** The name of an asset changes with its contents. */
const ofAsset = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** GraphiQL's page, which asks for a key; it contains no data. */
export function sendGraphiql(req: IncomingMessage, res: ServerResponse): void {
  sendAsset(req, res, 'graphiql.html', ofPage);
}

/**
 * The start page at `/`, and the pages for people with their assets: v1's documentation, and the console.
 * @param openApi describes v1
 */
export function addPages(
  web: Express,
  options: Omit<StartPageOptions, 'docs'>,
  openApi: () => object,
  servesPeople: (req: IncomingMessage) => Promise<boolean>,
): void {
  // Built once, so that any number of answers that wait for slow readers share the memory.
  let v1: Buffer | undefined;
  const home = Buffer.from(startPage({ ...options, docs: true }));
  const withoutPages = Buffer.from(startPage({ ...options, graphiql: false, console: false, docs: false }));
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
  if (options.console) {
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

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { logo, startStyle } from '../../generated/look.ts';
import { VERSION } from '../../version.ts';
import { sendAsset } from './assets.ts';

export interface PagesOptions {
  readonly graphiql: boolean;
  readonly console: boolean;
}

function card(address: string, name: string, text: string): string {
  return `<li><a href="${address}"><b>${name}</b>${text}</a></li>`;
}

function welcome({ graphiql, console }: PagesOptions): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Linkspace</title><link rel="icon" href="/favicon.ico" type="image/svg+xml"><style>${startStyle}</style></head>
<body><main><a class="brand" href="/" aria-current="page">${logo}Linkspace</a>
<h1>Short links that are yours</h1>
<p>This server shortens links, sends visitors on, and counts their clicks. Whoever has an API key can make links; the operator
makes keys. A plus after a short link shows its statistics.</p>
<ul>${[
    console ? card('/console', 'Console', 'Create, find and change links, and read their statistics.') : '',
    graphiql ? card('/graphql', 'GraphiQL', 'Explore the GraphQL API, with examples.') : '',
    card('/docs', 'v1 documentation', 'The REST API that existing clients speak, to read and to try.'),
    card('/schema.graphql', 'schema.graphql', 'The GraphQL schema, for code generators.'),
    card('/openapi.json', 'openapi.json', 'The v1 API as OpenAPI 3.1.'),
  ].join('')}</ul>
<footer>Health checks: <a href="/livez">livez</a>, <a href="/readyz">readyz</a>. Version ${VERSION}.</footer>
</main></body></html>
`;
}

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
/**
 * A pixel's script runs on the same host, and could open the console in a window that it controls: this header prevents that.
 */
const ofConsole = { ...ofPage, 'Cross-Origin-Opener-Policy': 'noopener-allow-popups' };
/** The name of an asset changes with its contents. */
const ofAsset = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** GraphiQL's page, which asks for a key; it contains no data. */
export function sendGraphiql(req: IncomingMessage, res: ServerResponse): void {
  sendAsset(req, res, 'graphiql.html', ofPage);
}

/**
 * The pages for people and their assets: the start page at `/`, v1's documentation, and the console.
 * @param openApi describes v1
 */
export function addPages(web: Express, options: PagesOptions, openApi: () => object): void {
  // Built once, so that any number of answers that wait for slow readers share the memory.
  let v1: Buffer | undefined;
  const home = Buffer.from(welcome(options));
  web.get('/', (_req, res) => {
    res.set(ofPage).type('html').send(home);
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
    // The console itself routes the paths below it.
    web.get(/^\/console(?:\/(?!assets\/).*)?$/i, (req, res, next) => {
      if (!sendAsset(req, res, 'index.html', ofConsole, 'console')) next();
    });
  }
  web.get('/openapi.json', (_req, res) => {
    v1 ??= Buffer.from(JSON.stringify(openApi()));
    res.type('json').send(v1);
  });
}

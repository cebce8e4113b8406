import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { VERSION } from '../../version.ts';
import { sendAsset } from './assets.ts';

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2330; --quiet: #5b6475; --paper: #fff; --line: #d9dee8; --card: #f5f7fb; --link: #1f4fd8 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebf2; --quiet: #a3adc0; --paper: #12151c; --line: #2c3342; --card: #1a1f2a; --link: #8fb0ff }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.55 system-ui, sans-serif }
main { max-width: 44rem; margin: 0 auto; padding: 12vh 1.25rem 4rem }
h1 { margin: 0 0 .5rem; font-size: 2.2rem; letter-spacing: -.02em }
p { margin: 0 0 2rem; color: var(--quiet) }
ul { list-style: none; margin: 0 0 2rem; padding: 0; display: grid; gap: .75rem }
li a { display: block; padding: 1rem 1.2rem; border: 1px solid var(--line); border-radius: .7rem; background: var(--card); color: var(--quiet); text-decoration: none }
li a b { display: block; color: var(--link) }
li a:hover, li a:focus-visible { border-color: var(--link) }
footer, footer a { color: var(--quiet); font-size: .9rem }
`;

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
<title>Linkspace</title><style>${STYLE}</style></head>
<body><main><h1>Linkspace</h1>
<p>This is a short-link service. Its APIs need a key, which the operator creates.</p>
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
 * A script of a pixel, which runs on the same host, could open the console in a window that it controls: this takes the control
 * from it.
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
    // The console itself finds out what a path below it shows.
    web.get(/^\/console(?:\/(?!assets\/).*)?$/i, (req, res, next) => {
      if (!sendAsset(req, res, 'index.html', ofConsole, 'console')) next();
    });
  }
  web.get('/openapi.json', (_req, res) => {
    v1 ??= Buffer.from(JSON.stringify(openApi()));
    res.type('json').send(v1);
  });
}

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Express, RequestHandler } from 'express';
import { openApi } from '../rest/openapi.ts';

const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

const STYLE = `
:root { color-scheme: light dark; --ink: #1d2330; --quiet: #5b6475; --paper: #fff; --line: #d9dee8; --door: #f5f7fb; --link: #1f4fd8 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebf2; --quiet: #a3adc0; --paper: #12151c; --line: #2c3342; --door: #1a1f2a; --link: #8fb0ff }
}
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.55 system-ui, sans-serif }
main { max-width: 44rem; margin: 0 auto; padding: 12vh 1.25rem 4rem }
h1 { margin: 0 0 .5rem; font-size: 2.2rem; letter-spacing: -.02em }
p { margin: 0 0 2rem; color: var(--quiet) }
ul { list-style: none; margin: 0 0 2rem; padding: 0; display: grid; gap: .75rem }
li a { display: block; padding: 1rem 1.2rem; border: 1px solid var(--line); border-radius: .7rem; background: var(--door); color: var(--quiet); text-decoration: none }
li a b { display: block; color: var(--link) }
li a:hover, li a:focus-visible { border-color: var(--link) }
footer, footer a { color: var(--quiet); font-size: .9rem }
`;

function door(address: string, name: string, text: string): string {
  return `<li><a href="${address}"><b>${name}</b>${text}</a></li>`;
}

function welcome(graphiql: boolean): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Linkspace</title><style>${STYLE}</style></head>
<body><main><h1>Linkspace</h1>
<p>This is a short-link service. Its interfaces ask for an API key, which its operator makes.</p>
<ul>${[
    graphiql
      ? door('/graphql', 'GraphiQL', 'Explore the GraphQL interface, with examples for everything.')
      : '',
    door('/docs', 'v1 documentation', 'The REST interface of existing clients, to read and to try.'),
    door('/schema.graphql', 'schema.graphql', 'The GraphQL schema, for code generators.'),
    door('/openapi.json', 'openapi.json', 'The v1 interface as OpenAPI 3.1.'),
  ].join('')}</ul>
<footer>Is it well? <a href="/livez">It runs</a>, <a href="/readyz">it serves</a>.</footer>
</main></body></html>
`;
}

const DOCS = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Linkspace v1</title><link rel="stylesheet" href="/docs/swagger-ui.css">
<style>body { margin: 0 } .dark-mode body { background: #1c2022 }</style></head>
<body><div id="docs"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>
`;

const START = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  tryItOutEnabled: true,
  validatorUrl: null,
  defaultModelsExpandDepth: -1,
});
`;

/** Pages load nothing from elsewhere; `data:` is for the icons in Swagger UI's own styles. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'";

function page(html: string): RequestHandler {
  return (_req, res) => {
    res.set('Content-Security-Policy', POLICY).type('html').send(html);
  };
}

/** The pages for people, and what they load: the way in at `/`, and v1's documentation. */
export function addPages(web: Express, graphiql: boolean): void {
  let v1: string | undefined;
  web.get('/', page(welcome(graphiql)));
  web.get('/docs', page(DOCS));
  web.get('/docs/start.js', (_req, res) => {
    res.type('js').send(START);
  });
  for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js'])
    web.get(`/docs/${file}`, (_req, res) => res.sendFile(join(swagger, file), { maxAge: '1d' }));
  web.get('/openapi.json', (_req, res) => {
    v1 ??= JSON.stringify(openApi());
    res.type('json').send(v1);
  });
}

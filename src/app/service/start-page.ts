import { logo, startStyle } from '../../generated/look.ts';
import type { Config } from '../config.ts';

function card(address: string, name: string, text: string): string {
  return `<li><a class="card" href="${address}"><b>${name}</b>${text}</a></li>`;
}

/** The page at `/`: first what everybody can do here, then the APIs. */
export function startPage({
  graphiql,
  console,
  publicStatistics,
}: Pick<Config, 'graphiql' | 'console' | 'publicStatistics'>): string {
  const forEverybody = [
    console
      ? card(
          '/console',
          'Open the console',
          'Create, find and change links, and see their statistics. Sign in, or ask an owner of your account for an invitation.',
        )
      : '',
    publicStatistics
      ? `<li><div class="card"><b>See the statistics of a link</b>Add a plus sign to the end of a short link, such as
<kbd>/sale+</kbd>. The owner of the link decides who can see them.</div></li>`
      : '',
  ].join('');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Linkspace</title><link rel="icon" href="/favicon.ico" type="image/svg+xml"><style>${startStyle}</style></head>
<body><main><a class="brand" href="/" aria-current="page">${logo}Linkspace</a>
<h1>Short links</h1>
<p>This site serves short links. A short link takes its visitors to another address and counts their clicks.</p>
${forEverybody && `<ul>${forEverybody}</ul>`}
<h2>For developers</h2>
<p>Without a key, GraphiQL uses your console sign-in. Programs and the REST reference need an API key, which admins make in the console.</p>
<ul>${[
    graphiql ? card('/graphql', 'GraphiQL', 'Explore the GraphQL API and run the examples.') : '',
    card('/docs/guides', 'Guides', 'How to use the APIs, make campaigns, and run the service.'),
    card('/docs', 'REST API v1', 'Read the reference of the REST API, and try its operations.'),
    card('/schema.graphql', 'schema.graphql', 'The GraphQL schema, for code generators.'),
    card('/openapi.json', 'openapi.json', 'The REST API as OpenAPI 3.1, for code generators.'),
  ].join('')}</ul>
<footer>Health checks: <a href="/livez">livez</a>, <a href="/readyz">readyz</a>.</footer>
</main></body></html>
`;
}

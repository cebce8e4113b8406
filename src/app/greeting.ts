import type { Config } from './config.ts';

/** The address of a server that listens on `host`, for clients on this machine; `localhost` where it can be, for passkeys. */
function localAddress(host: string, port: number): string {
  if (['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host)) return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** The address of the console; for a browser on this machine, if no address is set. */
export function consoleUrl(
  { host, baseUrl, consoleUrl }: Pick<Config, 'host' | 'baseUrl' | 'consoleUrl'>,
  port: number,
) {
  const isSet = consoleUrl !== undefined || baseUrl !== `http://localhost:${port}`;
  return `${isSet ? (consoleUrl ?? baseUrl) : localAddress(host, port)}/console`;
}

/**
 * The message of the first start, with commands to paste.
 * @param key the new key, which is printed once; null if the operator set it, since that key must not be printed
 */
export function greeting(
  key: string | null,
  {
    host,
    graphiql,
    console,
    publicStatistics,
    consoleUrl,
  }: Pick<Config, 'host' | 'graphiql' | 'console' | 'publicStatistics' | 'consoleUrl'>,
  port: number,
): string {
  const address = localAddress(host, port);
  const forPeople = consoleUrl ?? address;
  const pages = [
    console ? [`${forPeople}/console`, 'the console, to make, find and change links'] : [],
    graphiql ? [`${forPeople}/graphql`, 'GraphiQL, to explore the GraphQL API'] : [],
    [`${forPeople}/docs/guides`, 'the guides, and the schemas of both APIs'],
    [`${forPeople}/docs`, 'the documentation of v1, to read and to try'],
    publicStatistics
      ? [`${address}/first+`, 'the statistics of the link first, which the second command makes']
      : [],
  ].filter(([page]) => page !== undefined);
  const width = Math.max(...pages.map(([page = '']) => page.length));
  const auth = key === null ? '-H "Authorization: Bearer $KEY"' : `-H 'Authorization: Bearer ${key}'`;
  const query = `{"query":"{ viewer { account { name } } links { totalCount edges { node { shortUrl url } } } }"}`;
  const keyText =
    key === null
      ? 'The account "default" has the key that INITIAL_API_KEY gives. With that key in KEY:'
      : `This is the API key of the account "default"; it is shown only now:\n\n  ${key}`;
  return `
Welcome to Linkspace. ${keyText}

The v1 REST interface:

  curl ${auth} -d 'name=Launch' -d 'color=3' ${address}/api/v1/spaces
  curl ${auth} -d 'url=https://example.com/' -d 'title=Example' -d 'alias=first' ${address}/api/v1/links
  curl ${auth} ${address}/api/v1/links

GraphQL:

  curl ${auth} -H 'Content-Type: application/json' -d '${query}' ${address}/graphql

In a browser:

${pages.map(([page = '', what = '']) => `  ${page.padEnd(width)}  ${what}`).join('\n')}

If the key is lost, this makes another one: npm run keys -- create --account default

`;
}

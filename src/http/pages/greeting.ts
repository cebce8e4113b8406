import type { Config } from '../../config.ts';

/** The address of a server that listens on `host`, for clients on this machine. */
function localAddress(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/**
 * The message of the first start, with commands to paste.
 * @param key the new key, which is printed once; null if the operator set it, since that key must not be printed
 */
export function greeting(
  key: string | null,
  { host, port, graphiql, console }: Pick<Config, 'host' | 'port' | 'graphiql' | 'console'>,
): string {
  const address = localAddress(host, port);
  const auth = key === null ? '-H "Authorization: Bearer $KEY"' : `-H 'Authorization: Bearer ${key}'`;
  const query = `{"query":"{ viewer { account { name } } links { totalCount edges { node { shortUrl url } } } }"}`;
  const told =
    key === null
      ? 'The account "default" has the key that INITIAL_API_KEY gives. With that key in KEY:'
      : `This is the API key of the account "default"; it is shown only now:\n\n  ${key}`;
  return `
Welcome to Linkspace. ${told}

The v1 REST interface:

  curl ${auth} -d 'name=Launch' -d 'color=3' ${address}/api/v1/spaces
  curl ${auth} -d 'url=https://example.com/' -d 'title=Example' ${address}/api/v1/links
  curl ${auth} ${address}/api/v1/links

GraphQL:

  curl ${auth} -H 'Content-Type: application/json' -d '${query}' ${address}/graphql
${console ? `\nThe console, for people, in a browser: ${address}/console\n` : ''}${graphiql ? `\nGraphiQL, for exploring in a browser: ${address}/graphql\n` : ''}
`;
}

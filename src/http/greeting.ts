/** An address under which this machine reaches a server that listens on `host`. */
function localAddress(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://localhost:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** What the first start tells: the first key, once, and what to do with it. */
export function greeting(key: string, host: string, port: number, graphiql: boolean): string {
  const address = localAddress(host, port);
  const auth = `-H 'Authorization: Bearer ${key}'`;
  const query = `{"query":"{ viewer { account { name } } links { totalCount edges { node { shortUrl url } } } }"}`;
  return `
Welcome to Linkspace. This is the API key of the account "default"; it is shown only now:

  ${key}

The v1 REST interface:

  curl ${auth} -d 'name=Launch' -d 'color=3' ${address}/api/v1/spaces
  curl ${auth} -d 'url=https://example.com/' -d 'title=Example' ${address}/api/v1/links
  curl ${auth} ${address}/api/v1/links

GraphQL:

  curl ${auth} -H 'Content-Type: application/json' -d '${query}' ${address}/graphql
${graphiql ? `\nGraphiQL, for exploring in a browser: ${address}/graphql\n` : ''}
`;
}

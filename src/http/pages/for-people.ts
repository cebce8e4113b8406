import type { IncomingMessage } from 'node:http';
import { acceptedTypes, HTML_TYPE } from '../request/accept.ts';
import type { RequestInfo } from '../request/info.ts';

/** Whether a browser opens `/graphql`; HEAD asks what GET would get. */
export function asksForGraphiql({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && acceptedTypes(headers.accept)[0] === HTML_TYPE;
}

/** Whether a request is for a page for people, which are the console, GraphiQL and `/docs`, for a file of one, or to sign in. */
export function isForPeople(
  req: IncomingMessage,
  { surface, path }: Pick<RequestInfo, 'surface' | 'path'>,
  graphiql: boolean,
): boolean {
  if (surface === 'graphql') return graphiql && asksForGraphiql(req);
  return /^\/((console|docs)(\/|$)|auth\/)/i.test(path);
}

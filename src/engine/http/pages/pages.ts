import type { IncomingMessage, ServerResponse } from 'node:http';
import { acceptedTypes, HTML_TYPE } from '../request/accept.ts';
import { sendAsset } from './assets.ts';

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

export const ofPage = { 'Content-Security-Policy': POLICY, 'Cache-Control': 'no-cache' };
/** The name of an asset changes with its contents. */
export const ofAsset = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** GraphiQL's page, which asks for a key; it contains no data. */
export function sendGraphiql(req: IncomingMessage, res: ServerResponse): void {
  sendAsset(req, res, 'graphiql.html', ofPage);
}

/** True if a browser opens `/graphql`. HEAD asks for the headers that GET would get. */
export function asksForGraphiql({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && acceptedTypes(headers.accept)[0] === HTML_TYPE;
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import cors from 'cors';
import helmet from 'helmet';
import { hostOf, normalizeHost, withoutPort } from '../rules/url.ts';
import { readHeadersOf, type Step } from './private.ts';
import { findClient, type Trust } from './request/client.ts';
import { addHeaders } from './request/head.ts';

const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'etag',
  'Idempotency-Replayed',
];

/** Milliseconds in which a client must send the rest of its request after the answer. */
const LINGER_TIMEOUT = 2_000;

/** Closes the connection of a request that was answered early, unless the rest of it arrives soon. */
export function endUnlessComplete(req: IncomingMessage, socket: Socket): void {
  if (!req.complete) setTimeout(() => req.complete || socket.destroy(), LINGER_TIMEOUT).unref();
}

const secure: Step = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
  // No other page keeps a hold on a window that it opened on a page for people.
  crossOriginOpenerPolicy: { policy: 'same-origin' },
  originAgentCluster: false,
});

/** The security headers, which are the same for all requests; pages set their own Content-Security-Policy. */
const headers = readHeadersOf(secure);

/**
 * Tells browsers to use https only, for the hosts of these addresses. Domains of accounts, and other people's hosts below
 * them, may have to serve http.
 */
function requireHttps(addresses: readonly string[], trust: Trust): Step {
  const own = addresses.map((address) => withoutPort(hostOf(address)));
  return (req, res, next) => {
    const asked = normalizeHost(findClient(req, trust).host);
    if (asked !== null && own.includes(withoutPort(asked)))
      addHeaders(res, { 'Strict-Transport-Security': 'max-age=31536000' });
    next();
  };
}

const pass: Step = (_req, _res, next) => next();

export interface GuardOptions {
  readonly corsOrigins: readonly string[];
  readonly baseUrl: string;
  readonly consoleUrl?: string | undefined;
  /** Which proxies may say the requested host. */
  readonly trust: Trust;
}

/** The first middleware for requests to the APIs and their pages. */
export function createGuard({ corsOrigins, baseUrl, consoleUrl = baseUrl, trust }: GuardOptions) {
  const encrypted = [baseUrl, consoleUrl].filter((url) => url.startsWith('https:'));
  const encrypt = encrypted.length > 0 ? requireHttps(encrypted, trust) : pass;
  // Keys are in a header that a page must set: there are no cookies that other sites could use.
  const share: Step = corsOrigins.length > 0 ? shareWith(corsOrigins) : pass;
  return (req: IncomingMessage, res: ServerResponse, next: () => void): void => {
    addHeaders(res, headers);
    encrypt(req, res, () => share(req, res, next));
  };
}

function shareWith(origins: readonly string[]): Step {
  const allowed = cors({ origin: [...origins], exposedHeaders: EXPOSED_HEADERS, maxAge: 600 });
  return (req, res, next) => {
    res.setHeader('Vary', 'Origin');
    if (origins.includes(req.headers.origin ?? '')) allowed(req, res, next);
    else next();
  };
}

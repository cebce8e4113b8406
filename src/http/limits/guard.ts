import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import cors from 'cors';
import helmet from 'helmet';

const EXPOSED = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'Idempotency-Replayed',
];

/** How long a client may take to send the rest of its request after the answer, in milliseconds. */
const LINGER = 2_000;

/** Closes the connection of a request that was answered early, unless the rest of it arrives soon. */
export function endUnlessComplete(req: IncomingMessage, socket: Socket): void {
  if (!req.complete) setTimeout(() => req.complete || socket.destroy(), LINGER).unref();
}

/** A middleware: calls `next`, or answers the request. */
type Step = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/** Sets security headers; pages set their own Content-Security-Policy. */
function protective(isHttps: boolean): Step {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    strictTransportSecurity: isHttps,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
  });
}

export interface GuardOptions {
  /** The origins of sites whose pages may call the APIs. */
  readonly corsOrigins: readonly string[];
  /** Whether the base URL is https. */
  readonly isHttps: boolean;
}

/** The first middleware for requests to the APIs and their pages. */
export function createGuard({ corsOrigins, isHttps }: GuardOptions) {
  const protect = protective(isHttps);
  // Keys are in a header that a page must set: there are no cookies that other sites could use.
  const share: Step = corsOrigins.length > 0 ? shareWith(corsOrigins) : (_req, _res, next) => next();
  return (req: IncomingMessage, res: ServerResponse, next: () => void): void =>
    protect(req, res, () => share(req, res, next));
}

function shareWith(origins: readonly string[]): Step {
  const allowed = cors({ origin: [...origins], exposedHeaders: EXPOSED, maxAge: 600 });
  return (req, res, next) => {
    res.setHeader('Vary', 'Origin');
    if (origins.includes(req.headers.origin ?? '')) allowed(req, res, next);
    else next();
  };
}

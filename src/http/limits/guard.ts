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

/** How long a client has to read an answer that came before all of its request, in milliseconds. */
const LINGER = 2_000;

/** Ends the connection of a request that was answered before all of it came, unless the rest comes soon. */
export function endUnlessComplete(req: IncomingMessage, socket: Socket): void {
  if (!req.complete) setTimeout(() => req.complete || socket.destroy(), LINGER).unref();
}

/** A step on a request's way: calls `next` where the request goes on, and answers it otherwise. */
type Step = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/** Sets the headers that keep browsers from misusing an answer; pages say for themselves what they load. */
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
  /** Of which sites the pages may call the interfaces from a browser. */
  readonly corsOrigins: readonly string[];
  /** Whether the service is reached by https. */
  readonly isHttps: boolean;
}

/** What every request to the interfaces and their pages meets first. */
export function createGuard({ corsOrigins, isHttps }: GuardOptions) {
  const protect = protective(isHttps);
  // A key comes in a header, which a page must know to send: there are no cookies to lend.
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

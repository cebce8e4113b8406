// Behaviour of Node's HTTP server and of middlewares that no documentation promises. Each comment says what the code relies on.
// `test/engine/http/private.test.ts` fails if a release changes it.
import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Server as NetServer, Socket } from 'node:net';

/** A middleware: calls `next`, or answers the request. */
export type Step = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/**
 * Stops accepting connections, and resolves when all have ended. HTTP's own `close` would also close idle connections, whose
 * clients may be sending a request. The server of `node:net` below it closes none.
 */
export function stopAccepting(server: Server): Promise<void> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
}

/**
 * Returns the headers that a middleware sets, from a response that is never sent. The middleware has to set the same ones for
 * each request, at once, and each by `setHeader`: Node promises their names in the given case nowhere else.
 */
export function readHeadersOf(step: Step): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  res.setHeader = (name, value) => {
    headers[name] = String(value);
    return res;
  };
  step(res.req, res, () => {});
  return headers;
}

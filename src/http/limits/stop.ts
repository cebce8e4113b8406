import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const STOP_TIMEOUT = 10_000;
/** How often connections are checked for the end of their last request, in milliseconds. */
const SWEPT_EVERY = 50;

interface Request {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

/**
 * A function that stops the server: it stops accepting, and waits for the requests in flight, ten seconds at most. Call this
 * before the server listens. It follows the connections itself, since `closeIdleConnections` keeps those that have sent nothing yet,
 * or only a part of a header.
 */
export function stopperOf(server: Server): () => Promise<void> {
  /** The last request of each connection, which is answered last; null if there was none. */
  const connections = new Map<Socket, Request | null>();
  let stopping = false;
  server.on('connection', (socket) => {
    connections.set(socket, null);
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (req, res) => {
    const before = connections.get(req.socket);
    if (before !== undefined) connections.set(req.socket, { req, res });
    if (!stopping) return;
    // Requests may be sent before earlier ones are answered: only the last answer ends the connection.
    if (before?.res.headersSent === false) before.res.removeHeader('Connection');
    endsConnection(res);
  });
  const closeIdle = () => {
    for (const [socket, last] of connections)
      if (last === null || (last.res.writableFinished && last.req.complete)) socket.destroy();
  };
  return async () => {
    stopping = true;
    for (const last of connections.values()) if (last !== null) endsConnection(last.res);
    const closed = new Promise((resolve) => server.close(resolve));
    // The first time after a moment, in which requests that have arrived are read.
    const sweep = setInterval(closeIdle, SWEPT_EVERY);
    const deadline = setTimeout(() => server.closeAllConnections(), STOP_TIMEOUT);
    await closed;
    clearInterval(sweep);
    clearTimeout(deadline);
  };
}

/** Tells the client to send no further request on the connection, which is about to be closed. */
function endsConnection(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

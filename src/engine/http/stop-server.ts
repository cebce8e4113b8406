import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { stopAccepting } from './private.ts';

const STOP_TIMEOUT = 10_000;
/** Milliseconds between two checks of connections for the end of their last request. */
const SWEEP_INTERVAL = 50;
/** Milliseconds of idleness after which a connection is closed; its client may be sending the next request. */
const IDLE_FOR = 500;

/**
 * For how long a stop waits for a turn of the event loop in which no connection arrives, in milliseconds, and how long that turn
 * may take in the first half of this time.
 */
const QUIET_TIMEOUT = 1_000;
const QUIET = 1;

interface Connection {
  /** Since when it has been open, or its last request answered: a time of performance.now(). */
  since: number;
  /** The last request: answers are sent in the order of requests. */
  last?: { readonly req: IncomingMessage; readonly res: ServerResponse };
}

export interface Stopper {
  /** Notes that a connection has no further requests, such as a WebSocket: its end comes from elsewhere. */
  release(socket: Socket): void;
  /** Ends each connection with its next answer; the server goes on accepting. */
  drain(): void;
  /** Stops accepting, and waits for the requests in flight, ten seconds at most. */
  stop(): Promise<void>;
  /** Closes all connections. */
  disconnect(): void;
}

/**
 * Stops a server. Call this before the server listens. It follows the connections itself, since `closeIdleConnections` keeps
 * those that have sent nothing yet, or only a part of a header.
 */
export function createStopper(server: Server): Stopper {
  const connections = new Map<Socket, Connection>();
  const released = new Set<Socket>();
  let stopping = false;
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted++;
    connections.set(socket, { since: performance.now() });
    socket.once('close', () => connections.delete(socket));
  });
  server.on('request', (req, res) => {
    const connection = connections.get(req.socket);
    const before = connection?.last;
    if (connection !== undefined) connection.last = { req, res };
    res.once('finish', () => {
      if (connection !== undefined) connection.since = performance.now();
    });
    if (!stopping) return;
    // Requests may be sent before earlier ones are answered: only the last answer ends the connection.
    if (before?.res.headersSent === false) before.res.removeHeader('Connection');
    closeAfterAnswer(res);
  });
  let sweptAt = Number.NEGATIVE_INFINITY;
  const closeIdle = () => {
    const before = sweptAt;
    sweptAt = performance.now();
    // A process that stood still has not read yet what came meanwhile.
    if (sweptAt - before > IDLE_FOR / 2) return;
    const threshold = performance.now() - IDLE_FOR;
    for (const [socket, { since, last }] of connections)
      if (since < threshold && (!last || (last.res.writableFinished && last.req.complete))) socket.destroy();
  };
  const drain = () => {
    stopping = true;
    for (const { last } of connections.values()) if (last) closeAfterAnswer(last.res);
  };
  /**
   * Waits until the system has no connection to accept, of which Node takes one in each turn of its event loop. The close would
   * reset it, and a proxy does not repeat its POST.
   */
  const untilNoneArrives = async () => {
    const deadline = performance.now() + QUIET_TIMEOUT;
    // The end of this turn; the next one looks for connections.
    await setImmediate();
    for (let now = performance.now(); now < deadline; ) {
      const [before, since] = [accepted, now];
      await setImmediate();
      now = performance.now();
      const isShort = now - since < QUIET || now > deadline - QUIET_TIMEOUT / 2;
      if (accepted === before && isShort) return;
    }
  };
  const release = (socket: Socket) => {
    connections.delete(socket);
    released.add(socket);
    socket.once('close', () => released.delete(socket));
  };
  const disconnect = () => {
    server.closeAllConnections();
    for (const socket of released) socket.destroy();
  };
  const stop = async () => {
    drain();
    await untilNoneArrives();
    const closed = stopAccepting(server);
    const sweep = setInterval(closeIdle, SWEEP_INTERVAL);
    const deadline = setTimeout(disconnect, STOP_TIMEOUT);
    await closed;
    clearInterval(sweep);
    clearTimeout(deadline);
  };
  return { release, drain, stop, disconnect };
}

/** Tells the client to send no further request on the connection, which is about to be closed. */
function closeAfterAnswer(res: ServerResponse): void {
  if (!res.headersSent) res.setHeader('Connection', 'close');
}

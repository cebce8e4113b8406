import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { RETRY_AFTER } from '../domain/errors.ts';
import { hasPath } from './request/request-url.ts';

/**
 * Timeouts in milliseconds: for a request's headers, for the whole request, and for a client that neither sends nor reads
 * during the answer. Idle connections are kept for longer than most proxies keep theirs (a minute): if the service closed
 * them first, a request that was already sent would fail.
 */
const timeouts = {
  keepAliveTimeout: 65_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
};
const IDLE_TIMEOUT = 30_000;
/** How long a client may take to close its half of a connection that the server has ended, in milliseconds. */
const LINGER = 2_000;

/** The statuses of requests that could not be parsed; 400 for all others. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const UNREADABLE = 'The request could not be read.';

/** An answer to a request that no handler gets. It closes the connection, so that the rest of the request is not read. */
function refusal(
  status: number,
  message: string,
): { headers: Record<string, string | number>; body: string } {
  const body = JSON.stringify({ message, status });
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'private, no-store',
    Connection: 'close',
  };
  return { headers, body };
}

export interface HttpServerOptions {
  /** After how many milliseconds a client that neither sends nor reads during the answer is disconnected. */
  readonly idleTimeout?: number;
}

/** A server with timeouts for its clients. It does not listen yet. */
export function createHttpServer({ idleTimeout = IDLE_TIMEOUT }: HttpServerOptions = {}): Server {
  // `faultOf` answers requests without Host, in our own form.
  const server = createServer({ ...timeouts, requireHostHeader: false }).setTimeout(idleTimeout);
  // Node leaves such a connection open for as long as the client does.
  server.on('connection', (socket) => {
    socket.once('finish', () => setTimeout(() => socket.destroy(), LINGER).unref());
  });
  return server;
}

export interface Unreadable {
  readonly requestId: string;
  readonly status: number;
  /** The code of Node's parser. */
  readonly code: string;
}

/**
 * Answers requests that Node cannot parse, for which it calls no listener, with a status and a request id.
 * @param isAnswering whether the connection has unsent answers, which this one must not interrupt
 */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  isAnswering: boolean,
): Unreadable | null {
  const { code = 'unknown' } = error;
  if (isAnswering || !socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return null;
  }
  const status = statuses[code] ?? 400;
  const requestId = randomUUID();
  const { headers, body } = refusal(status, UNREADABLE);
  const head = Object.entries({ ...headers, 'X-Request-Id': requestId }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head.join('\r\n')}\r\n\r\n${body}`);
  return { requestId, status, code };
}

/** The status for a request with an invalid target or headers (RFC 9110, 7.2 and 10.1.1); null for a valid one. */
export function faultOf(req: IncomingMessage): number | null {
  const { httpVersionMinor, headers, rawHeaders } = req;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1;
  if (hosts > 1 || (hosts === 0 && httpVersionMinor > 0) || !hasPath(req)) return 400;
  return /^100-continue$/i.test(headers.expect ?? '100-continue') ? null : 417;
}

/** Answers such a request. */
export function answerFaulty(res: ServerResponse, status: number): void {
  const { headers, body } = refusal(status, UNREADABLE);
  res.writeHead(status, headers).end(body);
}

/** Answers that too many requests are in flight. */
export function answerBusy(res: ServerResponse): void {
  const { headers, body } = refusal(503, 'The server is busy. Try again shortly.');
  res.writeHead(503, { ...headers, 'Retry-After': RETRY_AFTER }).end(body);
}

/**
 * Holds the server's requests until the returned function is called, which passes them to the server's listeners. With it,
 * a port can be opened before the program is ready.
 */
export function holdRequests(server: Server): () => void {
  const held: Parameters<RequestListener>[] = [];
  const hold: RequestListener = (req, res) => void held.push([req, res]);
  server.on('request', hold);
  return () => {
    server.off('request', hold);
    for (const [req, res] of held) if (!req.socket.destroyed) server.emit('request', req, res);
  };
}

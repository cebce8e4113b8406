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
import { hasPath, pathOf } from './request/request-url.ts';
import { surfaceOf } from './request/surface.ts';

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
/** The maximum size of a request's target and headers together, in bytes: browsers send all cookies of a large site. */
const MAX_HEADERS = 32 * 1024;
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

/** A body, and the headers that describe it. */
export interface Content {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The page of a visit that no handler gets. */
export type RefusedVisit = (status: number, acceptLanguage: string) => Content;

function asJson(status: number, message: string): Content {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  return { headers, body: JSON.stringify({ message, status }) };
}

/** The headers of such an answer. It closes the connection, so that the rest of the request is not read. */
function refusalHeaders({ headers, body }: Content): Record<string, string | number> {
  return {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'private, no-store',
    Connection: 'close',
  };
}

/** How many bytes of an unreadable request are looked at. */
const MAX_LOOKED_AT = 8_192;

/** What the beginning of an unreadable request says, if that is in the last packet. */
function beginningOf(error: Error): { method?: string; path?: string; acceptLanguage: string } {
  const packet = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.of();
  const text = packet.toString('latin1', 0, MAX_LOOKED_AT);
  const [, acceptLanguage = ''] = /\r\naccept-language:([^\r\n]*)/i.exec(text) ?? [];
  const [, method, target] = /^(?:\r\n)*([A-Z]+) ([^\s]+)/.exec(text) ?? [];
  if (method === undefined || target === undefined) return { acceptLanguage };
  return { method, path: pathOf(target), acceptLanguage };
}

export interface HttpServerOptions {
  /** After how many milliseconds a client that neither sends nor reads during the answer is disconnected. */
  readonly idleTimeout?: number;
}

/** A server with timeouts for its clients. It does not listen yet. */
export function createHttpServer({ idleTimeout = IDLE_TIMEOUT }: HttpServerOptions = {}): Server {
  // `faultOf` answers requests without Host, in our own form.
  const server = createServer({
    ...timeouts,
    maxHeaderSize: MAX_HEADERS,
    requireHostHeader: false,
  }).setTimeout(idleTimeout);
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
 * Visitors get a page, also if headers are too large and the path is not known: browsers send the most cookies.
 * @param isAnswering whether the connection has unsent answers, which this one must not interrupt
 */
export function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  isAnswering: boolean,
  refusedVisit: RefusedVisit,
): Unreadable | null {
  const { code = 'unknown' } = error;
  if (isAnswering || !socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return null;
  }
  const status = statuses[code] ?? 400;
  const requestId = randomUUID();
  const { method, path, acceptLanguage } = beginningOf(error);
  const isVisit = path === undefined ? status === 431 : surfaceOf(path) === 'visit';
  const content = isVisit ? refusedVisit(status, acceptLanguage) : asJson(status, UNREADABLE);
  const head = Object.entries({ ...refusalHeaders(content), 'X-Request-Id': requestId }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  const body = method === 'HEAD' ? '' : content.body;
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

/** Answers a request with such headers; a visit with a page. */
export function answerFaulty(res: ServerResponse, status: number, page: Content | null): void {
  const content = page ?? asJson(status, UNREADABLE);
  res.writeHead(status, refusalHeaders(content)).end(content.body);
}

/** Answers that too many requests are in flight; visits, too, get the answer that costs the least. */
export function answerBusy(res: ServerResponse): void {
  const content = asJson(503, 'The server is busy. Try again shortly.');
  res.writeHead(503, { ...refusalHeaders(content), 'Retry-After': RETRY_AFTER }).end(content.body);
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

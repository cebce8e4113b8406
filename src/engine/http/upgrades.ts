// Upgrades of connections to WebSockets: refuses those that no surface takes, before any message is read. Requests for other
// upgrades, such as to HTTP/2, are answered like those without one.
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { RETRY_AFTER } from '../rules/errors.ts';
import { normalizeHost } from '../rules/url.ts';
import { trimBlanks } from '../tools/blanks.ts';
import type { LoadMeter } from './limits/load-meter.ts';
import { asJson, rawAnswer, UNREADABLE } from './raw-answer.ts';
import { shortenHeaders } from './request/headers.ts';
import { describeRequest, type RequestInfo, type Surface } from './request/info.ts';
import type { RequestLog } from './request/log.ts';
import type { Origin } from './request/session-cookie.ts';
import { findFault, normalizeTarget } from './request/target.ts';

/** The WebSockets of a surface. */
export interface Sockets {
  readonly surface: Surface;
  /** The subprotocol that clients have to ask for. */
  readonly protocol: string;
  /** True if it takes none now, since the service stops or has too many. */
  readonly isFull: boolean;
  /** Takes over the connection of a request for one. */
  take(req: IncomingMessage, socket: Socket, head: Buffer, info: RequestInfo): Promise<void>;
}

export interface UpgradeDependencies {
  readonly sockets: Sockets;
  findSurface(path: string): Surface;
  /** Where the page is that asks for a WebSocket. */
  findOrigin(req: IncomingMessage): Origin;
  readonly corsOrigins: readonly string[];
  /** Call it with a connection that has no further requests. */
  release(socket: Socket): void;
  readonly load: LoadMeter;
  readonly requestLog: RequestLog;
}

/** True for a request that asks for a WebSocket. */
export function asksForSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && trimBlanks(headers.upgrade ?? '').toLowerCase() === 'websocket';
}

/** Why an upgrade is refused, with the status and the headers of the answer. */
interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string | number>>;
}

const VERSION = '13';

/** Returns the fault of a handshake (RFC 6455, 4.2.1); null for a right one. */
function findHandshakeFault({ headers }: IncomingMessage, protocol: string): Refusal | null {
  const refused = (message: string, more = {}): Refusal => ({ status: 400, message, headers: more });
  if (normalizeHost(headers.host ?? '') === null) return refused('The header Host is not a host.');
  if (headers['sec-websocket-version'] !== VERSION)
    return refused(`The version of WebSockets here is ${VERSION}.`, { 'Sec-WebSocket-Version': VERSION });
  if (!/^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? ''))
    return refused('The header Sec-WebSocket-Key is not a key.');
  const protocols = (headers['sec-websocket-protocol'] ?? '').split(',').map(trimBlanks);
  return protocols.includes(protocol) ? null : refused(`Ask for the subprotocol ${protocol}.`);
}

/** Answers the requests of a server for WebSockets. */
export function answerUpgrades(server: Server, dependencies: UpgradeDependencies): void {
  const { sockets, findSurface, findOrigin, corsOrigins, release, load, requestLog } = dependencies;

  const findRefusal = (
    req: IncomingMessage,
    { surface }: RequestInfo,
    fault: number | null,
  ): Refusal | null => {
    if (fault !== null) return { status: fault, message: UNREADABLE };
    if (surface !== sockets.surface) return { status: 404, message: 'Nothing is here.' };
    const wrong = findHandshakeFault(req, sockets.protocol);
    if (wrong !== null) return wrong;
    const { origin = '' } = req.headers;
    if (findOrigin(req) === 'elsewhere' && !corsOrigins.includes(origin))
      return { status: 403, message: 'Pages of this site may not open a WebSocket here.' };
    if (!sockets.isFull) return null;
    return { status: 503, message: 'Try again shortly.', headers: { 'Retry-After': RETRY_AFTER } };
  };

  server.on('upgrade', (req, socket: Socket, head) => {
    ignoreErrors(socket);
    if (!asksForSocket(req)) return passOn(server, req, socket, head);
    load.requestStarted();
    shortenHeaders(req);
    const fault = findFault(req);
    normalizeTarget(req);
    const info = describeRequest(req, findSurface);
    const refusal = findRefusal(req, info, fault);
    if (refusal !== null) {
      const { status, message, headers } = refusal;
      socket.end(rawAnswer(status, asJson(status, message), { 'X-Request-Id': info.requestId, ...headers }));
      return requestLog.answered(status, info);
    }
    // Pages of other sites can open WebSockets in a person's name, without a question before.
    if (findOrigin(req) !== 'own') delete req.headers.cookie;
    release(socket);
    sockets.take(req, socket, head, info).catch((error: unknown) => {
      requestLog.failed(info, error);
      socket.destroy();
    });
  });
}

/** Holds the upgrades of a server until the returned function is called, which passes them to the server's listeners. */
export function holdUpgrades(server: Server): () => void {
  const held: [IncomingMessage, Socket, Buffer][] = [];
  const hold = (req: IncomingMessage, socket: Socket, head: Buffer) => {
    ignoreErrors(socket);
    held.push([req, socket, head]);
  };
  server.on('upgrade', hold);
  return () => {
    server.off('upgrade', hold);
    for (const [req, socket, head] of held) if (!socket.destroyed) server.emit('upgrade', req, socket, head);
  };
}

/** Ignores errors of a connection whose requests Node does not follow any more: it would throw them. */
function ignoreErrors(socket: Socket): void {
  socket.on('error', () => socket.destroy());
}

/** Has a request for another upgrade answered like others, without it. Only Node before 22.21 takes it for an upgrade here. */
function passOn(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Socket,
  head: Buffer,
): void {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!/^(upgrade|connection|http2-settings)$/i.test(rawHeaders[at] ?? ''))
      lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}`);
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

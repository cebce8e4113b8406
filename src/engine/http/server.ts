import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { RETRY_AFTER } from '../rules/errors.ts';
import { type createGuard, endUnlessComplete } from './guard.ts';
import type { InFlight } from './limits/in-flight.ts';
import type { LoadMeter } from './limits/load-meter.ts';
import { asJson, type Content, rawAnswer, refusalHeaders, UNREADABLE } from './raw-answer.ts';
import { addHeaders, noteHeaders } from './request/head.ts';
import { MAX_HEADER, shortenHeaders } from './request/headers.ts';
import { abort, beginRequest, type RequestInfo, type Surface } from './request/info.ts';
import type { RequestLog } from './request/log.ts';
import { findFault, normalizeTarget, targetPath } from './request/target.ts';
import { asksForSocket, holdUpgrades } from './upgrades.ts';

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
/** Milliseconds in which a client must close its half of a connection that the server has ended. */
const LINGER = 2_000;

/** The statuses of requests that could not be parsed; 400 for all others. */
const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

const BUSY = 'The server is busy. Try again shortly.';

/** The answer to a request of a bare surface that no handler gets. */
export type RefusedBare = (status: number, acceptLanguage: string) => Content;

/** Maximum number of examined bytes of an unreadable request. */
const MAX_LOOKED_AT = 8_192;

/** Says how to send the first character in the address that must be escaped; null if there is none. Each byte is a character. */
function howToEscape(text: string): string | null {
  const [, target = ''] = /^(?:\r\n)*[A-Z]+ ([^\r\n]*) HTTP\/1\.[01]\r\n/.exec(text) ?? [];
  // In UTF-8, up to four bytes together are a character.
  const [bytes] = /[\xc2-\xf4][\x80-\xbf]{1,3}|[^\x21-\x7e]/.exec(target) ?? [];
  if (bytes === undefined) return null;
  const character = Buffer.from(bytes, 'latin1').toString('utf8');
  const isUtf8 = !character.includes('\ufffd');
  const how = isUtf8 ? `as ${encodeURIComponent(Array.from(character)[0] ?? '')}` : 'escaped, in UTF-8';
  return `The address has an unescaped character: send it ${how}.`;
}

/** The text of the answer to an unreadable request. */
interface Beginning {
  readonly method?: string;
  readonly path?: string;
  readonly acceptLanguage: string;
  /** The fault, if it can be told. */
  readonly message?: string;
  /** The whole target with its letters escaped, if that is all that it lacks; else null. */
  readonly escaped?: string | null;
}

/**
 * The target of a request line with its letters in UTF-8 escaped; null if it has none, or bytes of another encoding. It begins with
 * one slash: with two, and with a backslash after it, browsers would take what follows for a host.
 */
function escapeTarget(text: string): string | null {
  const [, method = '', target = ''] =
    /^(?:\r\n)*([A-Z]+) (\/[!-~\x80-\xff]*) HTTP\/1\.[01]\r\n/.exec(text) ?? [];
  if ((method !== 'GET' && method !== 'HEAD') || !/[\x80-\xff]/.test(target)) return null;
  if (!isUtf8(Buffer.from(target, 'latin1'))) return null;
  const [whole = ''] = target.replace(/^\/{2,}/, '/').split('#', 1);
  return whole.replaceAll(
    /[\x80-\xff\\]/g,
    (byte) => `%${Buffer.from(byte, 'latin1').toString('hex').toUpperCase()}`,
  );
}

/** Reads the beginning of an unreadable request, if the last packet has it. */
function makeBeginning(error: Error): Beginning {
  const packet = 'rawPacket' in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : Buffer.of();
  const text = packet.toString('latin1', 0, MAX_LOOKED_AT);
  const [, language = ''] = /\r\naccept-language:([^\r\n]*)/i.exec(text) ?? [];
  const acceptLanguage = language.slice(0, MAX_HEADER);
  const [, method, target] = /^(?:\r\n)*([A-Z]+) ([^\s]+)/.exec(text) ?? [];
  if (method === undefined || target === undefined) return { acceptLanguage };
  const known = { method, path: targetPath(target), acceptLanguage };
  return { ...known, message: howToEscape(text) ?? UNREADABLE, escaped: escapeTarget(text) };
}

/** A server with timeouts for its clients. It does not listen yet. */
export function createHttpServer({ idleTimeout = IDLE_TIMEOUT }: { idleTimeout?: number } = {}): Server {
  // `faultOf` answers requests without Host, in our own form.
  const server: Server = createServer({
    ...{ ...timeouts, maxHeaderSize: MAX_HEADERS, requireHostHeader: false },
    // A request for another upgrade is answered without it.
    ...{
      shouldUpgradeCallback: (req: IncomingMessage) =>
        asksForSocket(req) && server.listenerCount('upgrade') > 0,
    },
  });
  server.setTimeout(idleTimeout);
  // Node leaves such a connection open for as long as the client does.
  server.on('connection', (socket) => {
    socket.once('finish', () => setTimeout(() => socket.destroy(), LINGER).unref());
  });
  return server;
}

/**
 * Answers requests that Node cannot parse, for which it calls no listener, with a status and a request id.
 * Bare surfaces have a form of their own, also if headers are too large and the path is not known: browsers send the most cookies.
 * They redirect letters that are not percent-encoded to the same address with them encoded.
 * @param isAnswering whether the connection has unsent answers, which this one must not interrupt
 */
function answerUnreadable(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  isAnswering: boolean,
  findSurface: Paths['findSurface'],
  refusedBare: RefusedBare,
) {
  const { code = 'unknown' } = error;
  if (isAnswering || !socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return null;
  }
  const fault = statuses[code] ?? 400;
  const requestId = randomUUID();
  const { method, path, acceptLanguage, message = UNREADABLE, escaped = null } = makeBeginning(error);
  const isBare = path === undefined ? fault === 431 : findSurface(path).isBare === true;
  // Some programs send letters as they are, such as those of an alias.
  const location = isBare && code === 'HPE_INVALID_URL' ? escaped : null;
  const status = location === null ? fault : 307;
  const content = isBare ? refusedBare(status, acceptLanguage) : asJson(status, message);
  const more = { 'X-Request-Id': requestId, ...(location !== null && { Location: location }) };
  const answer = rawAnswer(status, content, more);
  socket.end(method === 'HEAD' ? answer.slice(0, answer.length - content.body.length) : answer);
  return { requestId, status, code };
}

function refuse(res: ServerResponse, status: number, content: Content, headers: object = {}): void {
  res.writeHead(status, { ...refusalHeaders(content), ...headers }).end(content.body);
}

/**
 * Holds the server's requests until the returned function is called, which passes them to the server's listeners. With it,
 * a port can be opened before the program is ready.
 * @param upgrades whether the server will answer requests for WebSockets
 */
export function holdRequests(server: Server, upgrades: boolean): () => void {
  const answerUpgrades = upgrades ? holdUpgrades(server) : null;
  const held: Parameters<RequestListener>[] = [];
  const hold: RequestListener = (req, res) => void held.push([req, res]);
  server.on('request', hold);
  return () => {
    server.off('request', hold);
    for (const [req, res] of held) if (!req.socket.destroyed) server.emit('request', req, res);
    answerUpgrades?.();
  };
}

/** The methods of a path that is only read; null where a handler knows better, and of a path that cannot be decoded. */
function allowedMethods(info: RequestInfo, { isOnlyRead }: Paths): string | null {
  if (info.path === '*') return 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';
  if (!isOnlyRead(info)) return null;
  try {
    decodeURIComponent(info.path);
    return 'GET, HEAD';
  } catch {
    return null;
  }
}

/** Answers a request; ends when its work has ended. */
export type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<unknown>;

/** The paths of a service. */
export interface Paths {
  /** The surface of a path, without its query. */
  findSurface(path: string): Surface;
  /** The name of the room in which a request has its place. */
  chooseRoom(info: RequestInfo): string;
  /** True if a path has GET and HEAD only, whatever answers it. */
  isOnlyRead(info: RequestInfo): boolean;
}

export interface ListenerDependencies {
  readonly paths: Paths;
  /** Answers the bare surface. */
  readonly bare: Handler;
  readonly refusedBare: RefusedBare;
  /** The handlers of surfaces that do not pass through Express; their answers have headers noted (`head.ts`). */
  readonly handlers: ReadonlyMap<Surface, Handler>;
  readonly web: RequestListener;
  /** True if a request is for a page for people. */
  isForPeople(req: IncomingMessage, info: RequestInfo): boolean;
  /** Resolves to true if pages for people are served on the requested host. */
  servesPeople(req: IncomingMessage): Promise<boolean>;
  readonly guard: ReturnType<typeof createGuard>;
  readonly inFlight: InFlight;
  readonly load: LoadMeter;
  readonly requestLog: RequestLog;
}

/** Answers a server's requests: each gets an id, is counted, and is logged when it ends. */
export function answerRequests(server: Server, dependencies: ListenerDependencies): void {
  const { paths, bare, refusedBare, handlers, web, isForPeople, servesPeople } = dependencies;
  const { guard, inFlight, load, requestLog } = dependencies;
  const listener: RequestListener = (req, res) => {
    load.requestStarted();
    shortenHeaders(req);
    const fault = findFault(req);
    normalizeTarget(req);
    const info = beginRequest(req, res, paths.findSurface);
    if (info.span) info.span.run(() => answer(req, res, info, fault));
    else answer(req, res, info, fault);
  };
  const answer = (req: IncomingMessage, res: ServerResponse, info: RequestInfo, fault: number | null) => {
    const { surface, requestId } = info;
    const { socket } = req; // The request may have lost its socket when it is answered.
    const place = inFlight.begin(req, res, paths.chooseRoom(info), () => {
      if (!res.writableFinished) abort(info);
      endUnlessComplete(req, socket);
      requestLog.ended(res, info);
    });
    if (place) info.place = place;
    const handle = (handler: Handler) => place?.handledBy(handler(req, res));
    // A bare surface sets all headers in one call, which saves a tenth of the time of a short answer compared with setting one before.
    if (place && fault === null && surface.isBare) return handle(bare);
    const asksForMethods = req.method === 'OPTIONS';
    const serve = () => {
      const handler = handlers.get(surface);
      if (handler && place && fault === null && !asksForMethods) noteHeaders(res);
      addHeaders(res, { 'X-Request-Id': requestId });
      // Bare surfaces get no page either: JSON costs the least.
      if (!place) return refuse(res, 503, asJson(503, BUSY), { 'Retry-After': RETRY_AFTER });
      if (fault !== null) {
        const language = req.headers['accept-language'] ?? '';
        return refuse(res, fault, surface.isBare ? refusedBare(fault, language) : asJson(fault, UNREADABLE));
      }
      if (surface.isPrivate) addHeaders(res, { 'Cache-Control': 'private, no-store' });
      guard(req, res, () => {
        const methods = asksForMethods ? allowedMethods(info, paths) : null;
        if (methods !== null) res.writeHead(204, { Allow: methods }).end();
        else if (handler) handle(handler);
        else web(req, res);
      });
    };
    // Which host has pages for people takes a lookup.
    if (!place || fault !== null || asksForMethods || !isForPeople(req, info)) return serve();
    // On hosts without pages for people, their paths are those of the bare surface.
    place.handledBy(servesPeople(req).then((serves) => (serves ? serve() : handle(bare))));
  };
  server.on('request', listener);
  // A client that has all that was sent waits for the rest: that is not idle.
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0 || !inFlight.isAnswering(socket)) socket.destroy();
  });
  // Node would answer these itself.
  server.on('checkExpectation', listener);
  server.on('clientError', (error, socket: Socket) => {
    const unreadable = answerUnreadable(
      error,
      socket,
      inFlight.isAnswering(socket),
      paths.findSurface,
      refusedBare,
    );
    if (unreadable) requestLog.unreadable(unreadable);
  });
}

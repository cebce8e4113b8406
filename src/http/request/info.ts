import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor } from '../../domain/access/actor.ts';
import { isReserved } from '../../domain/link/alias.ts';
import { ClientGone } from '../../shared/client-gone.ts';
import { type Span, tracer } from '../../shared/tracing.ts';
import type { Place } from '../limits/room.ts';
import { TLS_ASK } from '../tls-ask.ts';

export interface RequestInfo {
  /** The id in the header X-Request-Id and in the log. */
  readonly requestId: string;
  readonly method: string | undefined;
  readonly surface: Surface;
  /** Without the query, which may contain private data; the log shows only its beginning. */
  readonly path: string;
  /** True if the request ended before its answer was complete. */
  isAborted: boolean;
  /** Aborted then; created by `signalOf`, since it takes a twentieth of a redirect's time. */
  abortController?: AbortController;
  /** A time of performance.now(). */
  readonly startedAt: number;
  /** The request's part of a trace. */
  readonly span: Span | undefined;
  /** Its place among those in flight. */
  place?: Place;
  actor?: Actor;
  /** The name of the operation, for the log and the metrics. */
  operation?: string;
  /** The deprecated parts of the schema that were used. */
  deprecated?: readonly string[];
}

const MAX_LOGGED = 500;

/** The property of a response with its request's information: a WeakMap would take a twentieth of a redirect's time. */
const REQUEST_INFO = Symbol('info');
type Response = ServerResponse & { [REQUEST_INFO]?: RequestInfo };

/** Gives the request its id; call it once per request. */
export function beginRequest(req: IncomingMessage, res: Response): RequestInfo {
  const [path = ''] = (req.url ?? '').split('?', 1);
  const info: RequestInfo = {
    requestId: randomUUID(),
    method: req.method,
    surface: surfaceOf(path),
    path: path.slice(0, MAX_LOGGED),
    isAborted: false,
    startedAt: performance.now(),
    span: tracer?.request(req.method ?? '', req.headers),
  };
  res[REQUEST_INFO] = info;
  return info;
}

export function abort(info: RequestInfo): void {
  info.isAborted = true;
  info.abortController?.abort(new ClientGone());
}

/** A signal that is aborted when the request ends before its answer is complete. */
export function signalOf(info: RequestInfo): AbortSignal {
  info.abortController ??= new AbortController();
  if (info.isAborted) abort(info);
  return info.abortController.signal;
}

export function requestInfoOf(res: Response): RequestInfo {
  const info = res[REQUEST_INFO];
  if (!info) throw new Error('the request was never begun');
  return info;
}

/** Notes the work of a handler in Express, for which a request keeps its place if its client leaves. */
export function handling<T>(res: Response, work: Promise<T>): Promise<T> {
  requestInfoOf(res).place?.handledBy(work);
  return work;
}

/** The parts of the service that requests go to. */
export type Surface = 'graphql' | 'v1' | 'visit' | 'other';

/** Files of the service besides its reserved paths; no alias has a dot. */
const files = new Set(['', 'openapi.json', 'schema.graphql', 'favicon.ico', 'inter.woff2', 'robots.txt']);

/** The path below `/auth/` that answers with data of an account. */
export const DOWNLOAD = '/auth/download';

/** True for a path below `/auth/`, in lower case. `auth` and `AUTH` are aliases, also with a slash at the end. */
export function isOfAuth(path: string): boolean {
  return /^\/auth\/./.test(path);
}

/** The surface of a path (without its query), in any case but for those to sign in and to ask for hosts; any path that is not the service's own is a visit. */
export function surfaceOf(path: string): Surface {
  const [, part = ''] = path.split('/', 2);
  if (isOfAuth(path) || path === TLS_ASK) return 'other';
  if (!isReserved(part) && !files.has(part.toLowerCase())) return 'visit';
  if (/^\/graphql\/?$/i.test(path)) return 'graphql';
  return /^\/api\/v1(\/|$)/i.test(path) ? 'v1' : 'other';
}

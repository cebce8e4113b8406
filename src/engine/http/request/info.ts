import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writer } from '../../rules/caller.ts';
import { ClientGone } from '../../tools/client-gone.ts';
import { type Span, tracer } from '../../tools/tracing.ts';
import type { Place } from '../limits/room.ts';

/** A part of the service that requests go to. */
export interface Surface {
  /** The name in the metrics. */
  readonly name: string;
  /** True if its handler gets requests at once, without security headers, and refusals have a form of its own. */
  readonly isBare?: boolean;
  /** True if no cache may store its answers. */
  readonly isPrivate?: boolean;
  /** The name of a request in traces, by its method and operation: one that few requests share would be of no use. */
  spanName?(method: string, operation: string | undefined): string;
}

export interface RequestInfo {
  /** The id in the header X-Request-Id and in the log. */
  readonly requestId: string;
  readonly method: string | undefined;
  readonly surface: Surface;
  /** Without the query, which may contain private data; the log shows only its beginning. */
  readonly path: string;
  /** True if the request ended before its answer was complete. */
  isAborted: boolean;
  /** Aborted then; created by `getSignal`, since it takes a twentieth of a redirect's time. */
  abortController?: AbortController;
  /** A time of performance.now(). */
  readonly startedAt: number;
  /** The request's part of a trace. */
  readonly span: Span | undefined;
  /** Its place among those in flight. */
  place?: Place;
  actor?: Writer;
  /** The name of the operation, for the log and the metrics. */
  operation?: string;
  /** The deprecated parts of the schema that were used. */
  deprecated?: readonly string[];
  /** Headers that are written with those of the answer (`head.ts`); null if headers are set at once. */
  noted: Record<string, string | number> | null;
}

const MAX_LOGGED = 500;

/** The property of a response with its request's information: a WeakMap would take a twentieth of a redirect's time. */
const REQUEST_INFO = Symbol('info');
type Response = ServerResponse & { [REQUEST_INFO]?: RequestInfo };

/** Makes the information of a request, with an id. @param method of an operation that is not a request of its own */
export function describeRequest(
  { url = '', headers, method: ownMethod }: IncomingMessage,
  findSurface: (path: string) => Surface,
  method = ownMethod,
): RequestInfo {
  const [path = ''] = url.split('?', 1);
  return {
    requestId: randomUUID(),
    method,
    surface: findSurface(path),
    path: path.slice(0, MAX_LOGGED),
    isAborted: false,
    startedAt: performance.now(),
    span: tracer?.request(method ?? '', headers),
    noted: null,
  };
}

/** Gives the request its id; call it once per request. */
export function beginRequest(
  req: IncomingMessage,
  res: Response,
  findSurface: (path: string) => Surface,
): RequestInfo {
  const info = describeRequest(req, findSurface);
  res[REQUEST_INFO] = info;
  return info;
}

export function abort(info: RequestInfo): void {
  info.isAborted = true;
  info.abortController?.abort(new ClientGone());
}

/** A signal that is aborted when the request ends before its answer is complete. */
export function getSignal(info: RequestInfo): AbortSignal {
  info.abortController ??= new AbortController();
  if (info.isAborted) abort(info);
  return info.abortController.signal;
}

export function getRequestInfo(res: Response): RequestInfo {
  const info = res[REQUEST_INFO];
  if (!info) throw new Error('the request was never begun');
  return info;
}

/** Notes the work of a handler in Express, for which a request keeps its place if its client leaves. */
export function handling<T>(res: Response, work: Promise<T>): Promise<T> {
  getRequestInfo(res).place?.handledBy(work);
  return work;
}

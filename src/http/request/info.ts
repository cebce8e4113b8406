import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor } from '../../domain/access/actor.ts';
import { ClientGone } from '../../shared/client-gone.ts';
import { type Surface, surfaceOf } from './surface.ts';

/** Information about a request while it is answered. */
export interface RequestInfo {
  /** The id in the header X-Request-Id and in the log. */
  readonly requestId: string;
  readonly method: string | undefined;
  readonly surface: Surface;
  /** Without the query, which may contain private data; the log shows only its beginning. */
  readonly path: string;
  /** Whether the request ended before its answer was complete. */
  hasLeft: boolean;
  /** Aborted then; created by `signalOf`, since it takes a twentieth of a redirect's time. */
  gone?: AbortController;
  /** A time of performance.now(). */
  readonly startedAt: number;
  actor?: Actor;
  /** The name of the operation, for the log and the metrics. */
  operation?: string;
  /** The deprecated parts of the schema that were used. */
  deprecated?: readonly string[];
}

/** How many characters of a path are logged. */
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
    hasLeft: false,
    startedAt: performance.now(),
  };
  res[REQUEST_INFO] = info;
  return info;
}

/** Notes that the request ended before its answer was complete. */
export function leave(info: RequestInfo): void {
  info.hasLeft = true;
  info.gone?.abort(new ClientGone());
}

/** A signal for when the request ends before its answer is complete. */
export function signalOf(info: RequestInfo): AbortSignal {
  info.gone ??= new AbortController();
  if (info.hasLeft) leave(info);
  return info.gone.signal;
}

/** The information about the request of `res`. */
export function requestInfoOf(res: Response): RequestInfo {
  const info = res[REQUEST_INFO];
  if (!info) throw new Error('the request was never begun');
  return info;
}

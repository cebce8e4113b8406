import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Actor } from '../../domain/access/actor.ts';
import { type Surface, surfaceOf } from './surface.ts';

/** What is known of a request while it is answered. */
export interface RequestInfo {
  /** The name that its answer bears as X-Request-Id, and that the log tells. */
  readonly requestId: string;
  readonly method: string | undefined;
  readonly surface: Surface;
  /** Without the query, which may hold what is nobody's business; the log shows no more than its start. */
  readonly path: string;
  /** As performance.now() tells it. */
  readonly startedAt: number;
  actor?: Actor;
  /** What was executed, as the log and the metrics name it. */
  operation?: string;
  /** The deprecated fields of the schema that were asked for. */
  deprecated?: readonly string[];
}

/** How much of a path the log shows, in characters. */
const LOGGED = 500;

/** Where a response has what is known of its request: a WeakMap of them all would cost a redirect a twentieth of its time. */
const REQUEST_INFO = Symbol('info');
type Response = ServerResponse & { [REQUEST_INFO]?: RequestInfo };

/** Gives the request its name; once for each. */
export function beginRequest(req: IncomingMessage, res: Response): RequestInfo {
  const [path = ''] = (req.url ?? '').split('?', 1);
  const info = {
    requestId: randomUUID(),
    method: req.method,
    surface: surfaceOf(path),
    path: path.slice(0, LOGGED),
    startedAt: performance.now(),
  };
  res[REQUEST_INFO] = info;
  return info;
}

/** What is known of the request that `res` answers. */
export function requestInfoOf(res: Response): RequestInfo {
  const info = res[REQUEST_INFO];
  if (!info) throw new Error('the request was never begun');
  return info;
}

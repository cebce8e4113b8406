import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type createGuard, endUnlessComplete } from './limits/guard.ts';
import type { InFlight } from './limits/in-flight.ts';
import type { Load } from './limits/load.ts';
import { beginRequest } from './request/info.ts';
import type { RequestLog } from './request/log.ts';
import { normalizeTarget } from './request/target.ts';
import { answerUnreadable, faultOf, refuseAsBusy, refuseAsFaulty } from './server.ts';

export interface ListenerDependencies {
  /** Answer requests, by the way they come in. */
  readonly visit: RequestListener;
  readonly graphql: RequestListener;
  readonly web: RequestListener;
  readonly guard: ReturnType<typeof createGuard>;
  readonly inFlight: InFlight;
  readonly load: Load;
  readonly requestLog: RequestLog;
}

/** Has a server's requests answered: each is given its id, is counted, and is logged when it ends. */
export function answerRequests(server: Server, dependencies: ListenerDependencies): void {
  const { visit, graphql, web, guard, inFlight, load, requestLog } = dependencies;
  const listener: RequestListener = (req, res) => {
    load.began();
    const fault = faultOf(req);
    normalizeTarget(req);
    const info = beginRequest(req, res);
    const { surface, requestId } = info;
    const { socket } = req; // Not the request's any more when it is answered.
    const accepted = inFlight.begin(req, res, () => {
      endUnlessComplete(req, socket);
      requestLog.ended(res, info);
    });
    // GraphQL and visitors are answered before Express is reached. Those of visitors say all headers at once, which costs
    // a server of redirects a tenth of its time less than to set one before.
    if (accepted && fault === null && surface === 'visit') return visit(req, res);
    res.setHeader('X-Request-Id', requestId);
    if (!accepted) return refuseAsBusy(res);
    if (fault !== null) return refuseAsFaulty(res, fault);
    if (surface !== 'other') res.setHeader('Cache-Control', 'private, no-store');
    guard(req, res, () => (surface === 'graphql' ? graphql : web)(req, res));
  };
  server.on('request', listener);
  // Node would answer these itself.
  server.on('checkExpectation', listener);
  server.on('clientError', (error, socket: Socket) => {
    const unreadable = answerUnreadable(error, socket, inFlight.isAnswering(socket));
    if (unreadable) requestLog.unreadable(unreadable);
  });
}

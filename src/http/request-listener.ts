import type { IncomingMessage, RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { type createGuard, endUnlessComplete } from './limits/guard.ts';
import type { InFlight } from './limits/in-flight.ts';
import type { LoadMeter } from './limits/load-meter.ts';
import { abort, beginRequest, type RequestInfo } from './request/info.ts';
import type { RequestLog } from './request/log.ts';
import { normalizeTarget } from './request/request-url.ts';
import { answerBusy, answerFaulty, answerUnreadable, faultOf, type RefusedVisit } from './server.ts';

export interface ListenerDependencies {
  /** The handlers by surface. */
  readonly visit: RequestListener;
  readonly refusedVisit: RefusedVisit;
  readonly graphql: RequestListener;
  readonly web: RequestListener;
  /** Whether a request is for a page for people. */
  isForPeople(req: IncomingMessage, info: RequestInfo): boolean;
  /** Whether pages for people are served on the requested host. */
  servesPeople(req: IncomingMessage): Promise<boolean>;
  readonly guard: ReturnType<typeof createGuard>;
  readonly inFlight: InFlight;
  readonly load: LoadMeter;
  readonly requestLog: RequestLog;
}

/** Answers a server's requests: each gets an id, is counted, and is logged when it ends. */
export function answerRequests(server: Server, dependencies: ListenerDependencies): void {
  const { visit, refusedVisit, graphql, web, isForPeople, servesPeople } = dependencies;
  const { guard, inFlight, load, requestLog } = dependencies;
  const listener: RequestListener = (req, res) => {
    load.requestStarted();
    const fault = faultOf(req);
    normalizeTarget(req);
    const info = beginRequest(req, res);
    const { surface, requestId } = info;
    const { socket } = req; // The request may have lost its socket when it is answered.
    const accepted = inFlight.begin(req, res, () => {
      if (!res.writableFinished) abort(info);
      endUnlessComplete(req, socket);
      requestLog.ended(res, info);
    });
    // GraphQL and visits do not pass through Express. Visits set all headers in one call, which saves a tenth of the time of
    // a redirect compared with setting one before.
    if (accepted && fault === null && surface === 'visit') return visit(req, res);
    const serve = () => {
      res.setHeader('X-Request-Id', requestId);
      if (!accepted) return answerBusy(res);
      if (fault !== null) {
        const page = surface === 'visit' ? refusedVisit(fault, req.headers['accept-language'] ?? '') : null;
        return answerFaulty(res, fault, page);
      }
      if (surface !== 'other') res.setHeader('Cache-Control', 'private, no-store');
      guard(req, res, () => (surface === 'graphql' ? graphql : web)(req, res));
    };
    if (!accepted || fault !== null || !isForPeople(req, info)) return serve();
    // On hosts without pages for people, their paths are those of visitors.
    void servesPeople(req).then((serves) => (serves ? serve() : visit(req, res)));
  };
  server.on('request', listener);
  // A client that has all that was sent waits for the rest: that is not idle.
  server.on('timeout', (socket: Socket) => {
    if (socket.writableLength > 0 || !inFlight.isAnswering(socket)) socket.destroy();
  });
  // Node would answer these itself.
  server.on('checkExpectation', listener);
  server.on('clientError', (error, socket: Socket) => {
    const unreadable = answerUnreadable(error, socket, inFlight.isAnswering(socket), refusedVisit);
    if (unreadable) requestLog.unreadable(unreadable);
  });
}

import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { logFault } from '../../tools/log.ts';
import type { Observation } from '../process-metrics.ts';
import { getRequestInfo, type RequestInfo } from './info.ts';

interface RequestMetrics {
  request(observation: Observation): void;
}

/** nginx's status for a request whose client disconnected before the answer was complete. */
export const CLIENT_CLOSED_REQUEST = 499;

export class RequestLog {
  readonly #log: Logger;
  readonly #metrics: RequestMetrics | undefined;

  constructor(log: Logger, metrics: RequestMetrics | undefined) {
    this.#log = log;
    this.#metrics = metrics;
  }

  ended({ statusCode, headersSent }: ServerResponse, info: RequestInfo): void {
    this.answered(headersSent ? statusCode : CLIENT_CLOSED_REQUEST, info);
  }

  answered(status: number, info: RequestInfo): void {
    const { requestId, surface, method, path, operation, actor, startedAt, deprecated, span } = info;
    const seconds = (performance.now() - startedAt) / 1000;
    const ms = Math.round(seconds * 10_000) / 10;
    const who = {
      account: actor?.accountId,
      key: actor?.keyId ?? undefined,
      user: actor?.userId ?? undefined,
    };
    const trace_id = span?.traceId;
    this.#log.info({ requestId, method, path, operation, status, ms, ...who, trace_id }, 'request');
    span?.note(
      {
        ...{ 'http.request.method': method, 'url.path': path, 'http.response.status_code': status },
        ...{ 'error.type': status >= 500 ? String(status) : undefined, 'linkspace.request.id': requestId },
        ...{ 'linkspace.account.id': who.account, 'linkspace.key.id': who.key },
        'linkspace.user.id': who.user,
      },
      surface.spanName?.(method ?? '', operation) ?? method ?? '',
    );
    span?.end();
    this.#metrics?.request({
      surface: surface.name,
      operation,
      status,
      seconds,
      keyId: actor?.keyId ?? undefined,
      deprecated,
    });
  }

  /** Logs an internal error, or one of the database, with the request's id. */
  fault(res: ServerResponse, error: unknown): void {
    this.failed(getRequestInfo(res), error);
  }

  failed({ requestId }: RequestInfo, error: unknown): void {
    logFault(this.#log, requestId, error);
  }

  unreadable(what: object): void {
    this.#log.info(what, 'request that could not be read');
  }
}

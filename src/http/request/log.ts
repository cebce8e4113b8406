import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { logFault } from '../../log.ts';
import type { Metrics } from '../metrics.ts';
import { type RequestInfo, requestInfoOf } from './info.ts';

/** nginx's status for a request whose client disconnected before the answer was complete. */
const CLIENT_CLOSED_REQUEST = 499;

export class RequestLog {
  readonly #log: Logger;
  readonly #metrics: Metrics | undefined;

  constructor(log: Logger, metrics: Metrics | undefined) {
    this.#log = log;
    this.#metrics = metrics;
  }

  ended({ statusCode, headersSent }: ServerResponse, info: RequestInfo): void {
    const { requestId, surface, method, path, operation, actor, startedAt, deprecated } = info;
    const status = headersSent ? statusCode : CLIENT_CLOSED_REQUEST;
    const seconds = (performance.now() - startedAt) / 1000;
    const ms = Math.round(seconds * 10_000) / 10;
    const who = {
      account: actor?.accountId,
      key: actor?.keyId ?? undefined,
      user: actor?.userId ?? undefined,
    };
    this.#log.info({ requestId, method, path, operation, status, ms, ...who }, 'request');
    this.#metrics?.request({
      surface,
      operation,
      status,
      seconds,
      keyId: actor?.keyId ?? undefined,
      deprecated,
    });
  }

  /** Logs an internal error, or one of the database, with the request's id. */
  fault(res: ServerResponse, error: unknown): void {
    logFault(this.#log, requestInfoOf(res).requestId, error);
  }

  unreadable(what: object): void {
    this.#log.info(what, 'request that could not be read');
  }
}

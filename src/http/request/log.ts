import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { visibleError } from '../../domain/errors.ts';
import type { Metrics } from '../metrics.ts';
import { type RequestInfo, requestInfoOf } from './info.ts';

/** What the log says of a request whose client left before its answer was complete; as nginx has it. */
const CLIENT_CLOSED_REQUEST = 499;

/** What is written and counted of requests. */
export class RequestLog {
  readonly #log: Logger;
  readonly #metrics: Metrics | undefined;

  constructor(log: Logger, metrics: Metrics | undefined) {
    this.#log = log;
    this.#metrics = metrics;
  }

  /** Records a request that has ended. */
  ended({ statusCode, headersSent }: ServerResponse, info: RequestInfo): void {
    const { requestId, surface, method, path, operation, actor, startedAt, deprecated } = info;
    const status = headersSent ? statusCode : CLIENT_CLOSED_REQUEST;
    const seconds = (performance.now() - startedAt) / 1000;
    const ms = Math.round(seconds * 10_000) / 10;
    const who = { account: actor?.accountId, key: actor?.keyId };
    this.#log.info({ requestId, method, path, operation, status, ms, ...who }, 'request');
    this.#metrics?.request({ surface, operation, status, seconds, keyId: actor?.keyId, deprecated });
  }

  /** Records a fault of ours, or of the database, under the request's id. */
  fault(res: ServerResponse, error: unknown): void {
    const what = { requestId: requestInfoOf(res).requestId, err: error };
    if (visibleError(error)?.code === 'UNAVAILABLE') this.#log.warn(what, 'database not available');
    else this.#log.error(what, 'unexpected error');
  }

  /** Records a request that Node could not read. */
  unreadable(what: object): void {
    this.#log.info(what, 'request that could not be read');
  }
}

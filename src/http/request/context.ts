import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Database } from '../../db/connection/client.ts';
import type { Replicas } from '../../db/connection/replicas.ts';
import { ListReader } from '../../db/reading/list-reader.ts';
import type { Authentication } from '../../domain/access/authentication.ts';
import type { KeysInUse } from '../../domain/access/keys-in-use.ts';
import type { ChangeSubscriptions } from '../../domain/change/subscriptions.ts';
import { visibleError } from '../../domain/errors.ts';
import type { Services } from '../../domain/services.ts';
import { networkOf } from '../../domain/visit/ip-network.ts';
import type { Context } from '../../schema/server/context.ts';
import type { InFlight } from '../limits/in-flight.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import { clientOf, type Trust } from './client.ts';
import { requestInfoOf, signalOf } from './info.ts';

export interface ContextDependencies {
  readonly database: Database;
  readonly readers: Pick<Replicas, 'readerFor' | 'wrote'>;
  readonly authentication: Authentication;
  readonly keysInUse: KeysInUse;
  readonly limit: RateLimit;
  readonly inFlight: InFlight;
  readonly trust: Trust;
  readonly services: Services;
  readonly subscriptions: ChangeSubscriptions;
  readonly log: Logger;
  now(): Date;
}

/** Creates the context of a request to the APIs. */
export type ContextOf = (req: IncomingMessage, res: ServerResponse) => Promise<Context>;

/** The returned function rejects with UNAUTHENTICATED without a valid key, and with RATE_LIMITED beyond the rate limit. */
export function createContextOf(dependencies: ContextDependencies): ContextOf {
  const {
    database,
    readers,
    authentication,
    keysInUse,
    limit,
    inFlight,
    trust,
    services,
    subscriptions,
    log,
    now,
  } = dependencies;
  const db = database.client;

  const authenticate = async (req: IncomingMessage) => {
    const header = req.headers.authorization;
    const remembered = await authentication.remembered(header);
    if (remembered) return remembered;
    const network = networkOf(clientOf(req, trust).address);
    try {
      await limit.tryKey(network);
    } catch (error) {
      // After too many wrong keys, keys from there are only compared with the list; valid ones are accepted.
      if (!(await authentication.isListed(header))) throw error;
    }
    try {
      const actor = await authentication.authenticate(header);
      await limit.keyWasRight(network);
      return actor;
    } catch (error) {
      if (visibleError(error)?.code !== 'UNAUTHENTICATED') await limit.keyWasRight(network);
      throw error;
    }
  };

  return async (req, res) => {
    const actor = await authenticate(req);
    const info = requestInfoOf(res);
    info.actor = actor;
    const timestamp = now();
    const signal = signalOf(info);
    const rateLimit = await limit.take(actor.keyId, res, timestamp);
    return {
      db,
      lists: new ListReader(db, actor.accountId, signal),
      reader: () => readers.readerFor(actor.accountId),
      wrote: () => readers.wrote(actor.accountId),
      actor,
      rateLimit,
      services,
      subscriptions,
      signal,
      running: (execution) => inFlight.run(res, execution),
      onClosed(listener) {
        if (res.destroyed) return listener();
        const endUse = keysInUse.use(actor.keyId, listener);
        res.once('close', () => {
          endUse();
          listener();
        });
      },
      requestId: info.requestId,
      log,
      named(operation) {
        info.operation ??= operation;
      },
      usedDeprecated(fields) {
        if (fields.length > 0) info.deprecated = fields;
      },
      now: () => timestamp,
    };
  };
}

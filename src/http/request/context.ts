import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readers } from '../../db/postgresql/replicas.ts';
import { ListReader } from '../../db/reading/list-reader.ts';
import type { Context } from '../../schema/server/context.ts';
import type { InFlight } from '../limits/in-flight.ts';
import { requestInfoOf, signalOf } from './info.ts';
import type { KeyAccess } from './key-access.ts';

/** What all contexts have in common. */
export type CommonContext = Pick<Context, 'db' | 'services' | 'subscriptions' | 'log'>;

export interface ContextDependencies {
  readonly common: CommonContext;
  readonly access: KeyAccess;
  readonly readers: Pick<Readers, 'readerFor' | 'wrote'>;
  readonly inFlight: InFlight;
  now(): Date;
}

/**
 * Creates the context of a request to the APIs.
 * @throws DomainError UNAUTHENTICATED without a valid key, RATE_LIMITED beyond the rate limit
 */
export type ContextOf = (req: IncomingMessage, res: ServerResponse) => Promise<Context>;

export function createContextOf(dependencies: ContextDependencies): ContextOf {
  const { common, access, readers, inFlight, now } = dependencies;
  return async (req, res) => {
    const actor = await access.authenticate(req);
    const info = requestInfoOf(res);
    info.actor = actor;
    const timestamp = now();
    const signal = signalOf(info);
    const rateLimit = await access.countRequest(actor, res, timestamp);
    return {
      ...common,
      actor,
      rateLimit,
      signal,
      requestId: info.requestId,
      lists: new ListReader(common.db, actor.accountId, signal),
      reader: () => readers.readerFor(actor.accountId),
      wrote: () => readers.wrote(actor.accountId),
      running: (execution) => inFlight.run(res, execution),
      onClosed: (listener) => access.onClosed(actor, res, listener),
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

/** Creates contexts in which the service itself reads an account's records, without a request or key; from the primary. */
export function createOwnerContextOf(common: CommonContext, now: () => Date) {
  return (accountId: number): Context => {
    const timestamp = now();
    const { signal } = new AbortController();
    return {
      ...common,
      actor: { accountId, keyId: 0, scopes: new Set(['read']) },
      rateLimit: null,
      signal,
      requestId: 'webhook',
      lists: new ListReader(common.db, accountId, signal),
      reader: () => common.db,
      wrote: async () => {},
      running: async (execution) => execution(),
      onClosed() {},
      named() {},
      usedDeprecated() {},
      now: () => timestamp,
    };
  };
}

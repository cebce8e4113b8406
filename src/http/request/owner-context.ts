import type { Logger } from 'pino';
import type { Db } from '../../db/connection/db.ts';
import { ListReader } from '../../db/reading/list-reader.ts';
import type { ChangeSubscriptions } from '../../domain/change/subscriptions.ts';
import type { Services } from '../../domain/services.ts';
import type { Context } from '../../schema/server/context.ts';

interface OwnerContextDependencies {
  readonly db: Db;
  readonly services: Services;
  readonly subscriptions: ChangeSubscriptions;
  readonly log: Logger;
  now(): Date;
}

/** Creates contexts in which the service itself reads an account's records, without a request or key; from the primary. */
export function createOwnerContextOf({ db, services, subscriptions, log, now }: OwnerContextDependencies) {
  return (accountId: number): Context => {
    const timestamp = now();
    const { signal } = new AbortController();
    return {
      db,
      services,
      subscriptions,
      log,
      requestId: 'webhook',
      now: () => timestamp,
      lists: new ListReader(db, accountId, signal),
      signal,
      running: async (execution) => execution(),
      reader: () => db,
      wrote: async () => {},
      actor: { accountId, keyId: 0, scopes: new Set(['read']) },
      rateLimit: null,
      onClosed() {},
      named() {},
      usedDeprecated() {},
    };
  };
}

import type { Logger } from 'pino';
import type { Db } from '../../db/connection/db.ts';
import { ListReader } from '../../db/reading/list-reader.ts';
import type { ChangeSubscriptions } from '../../domain/change/subscriptions.ts';
import type { Site } from '../../domain/site.ts';
import type { Context } from '../../schema/server/context.ts';

interface OwnerContextDependencies {
  readonly db: Db;
  readonly site: Site;
  readonly subscriptions: ChangeSubscriptions;
  readonly log: Logger;
  now(): Date;
}

/** Creates contexts in which the service itself reads an account's records, without a request or key; from the primary. */
export function createOwnerContextOf({ db, site, subscriptions, log, now }: OwnerContextDependencies) {
  return (accountId: number): Context => {
    const moment = now();
    const { signal } = new AbortController();
    return {
      db,
      site,
      subscriptions,
      log,
      requestId: 'webhook',
      now: () => moment,
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

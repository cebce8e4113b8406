import type { KeyAccess } from '../../auth/key-access.ts';
import type { Client, Data } from '../../db/database.ts';
import { actorFor } from '../../domain/access/actor.ts';
import { makeKeyCaller } from '../../domain/access/key-caller.ts';
import type { Readers } from '../../engine/db/postgresql/replicas.ts';
import type { InFlight } from '../../engine/http/limits/in-flight.ts';
import { getRequestInfo, getSignal } from '../../engine/http/request/info.ts';
import type { ApiRequest, RequestOf } from '../../schema/context.ts';

/** The part of the context that all requests share. */
export interface CommonContext
  extends Pick<ApiRequest, 'services' | 'subscriptions' | 'longWorks' | 'timeouts' | 'log'> {
  readonly db: Data;
}

export interface RequestDependencies {
  readonly common: CommonContext;
  readonly access: KeyAccess;
  readonly readers: Pick<Readers<Client>, 'readerFor' | 'wrote'>;
  readonly inFlight: InFlight;
  now(): Date;
}

/** @param bySession whether users' sessions count, besides keys */
export function createRequestReader(dependencies: RequestDependencies, bySession: boolean): RequestOf {
  const { common, access, readers, inFlight, now } = dependencies;
  const { db: primary, ...shared } = common;
  return async (req, res) => {
    const actor = await (bySession ? access.authenticateAny(req) : access.authenticate(req));
    const { accountId } = actor;
    const info = getRequestInfo(res);
    info.actor = actor;
    const { place } = info;
    const time = now();
    const rateLimit = await access.countRequest(actor, res, time);
    place?.claim(accountId);
    return {
      ...shared,
      actor,
      rateLimit,
      requestId: info.requestId,
      acceptLanguage: req.headers['accept-language'] ?? '',
      signal: getSignal(info),
      data: {
        primary,
        reader: () => readers.readerFor(accountId),
        wrote: () => readers.wrote(accountId),
      },
      updateRights: () => access.updateRights(actor),
      keyCaller: () => makeKeyCaller(actor),
      now: () => time,
      running: (execution) => {
        const work = primary.database.onBehalfOf(accountId, execution);
        return place ? place.hold(work) : work;
      },
      sendsFile: () => place?.moveTo(inFlight.files),
      sendsStream: () => place?.leave(),
      onClosed: (listener) => access.onClosed(actor, res, listener),
      named(operation) {
        info.operation ??= operation;
      },
      usedDeprecated(fields) {
        if (fields.length > 0) info.deprecated = fields;
      },
    };
  };
}

/** Creates requests by which the service itself reads an account's records, without a client or key; from the primary. */
export function createOwnerRequestReader({ db, ...shared }: CommonContext, now: () => Date) {
  return (accountId: number): ApiRequest => {
    const time = now();
    return {
      ...shared,
      actor: { ...actorFor(accountId, null, ['read']), requireAlive() {} },
      rateLimit: null,
      requestId: 'webhook',
      acceptLanguage: '',
      signal: new AbortController().signal,
      data: { primary: db, reader: () => db, wrote: async () => {} },
      async updateRights() {},
      keyCaller: () => makeKeyCaller({ accountId }),
      now: () => time,
      running: (execution) => db.database.onBehalfOf(accountId, execution),
      sendsFile() {},
      sendsStream() {},
      onClosed() {},
      named() {},
      usedDeprecated() {},
    };
  };
}

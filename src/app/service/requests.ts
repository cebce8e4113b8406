import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyAccess } from '../../auth/key-access.ts';
import type { Client, Data } from '../../db/database.ts';
import { actorFor } from '../../domain/access/actor.ts';
import { makeKeyCaller } from '../../domain/access/key-caller.ts';
import type { LiveActor } from '../../domain/access/live-actor.ts';
import type { Readers } from '../../engine/db/postgresql/replicas.ts';
import type { InFlight } from '../../engine/http/limits/in-flight.ts';
import type { Answering } from '../../engine/http/limits/room.ts';
import { getRequestInfo, getSignal, type RequestInfo } from '../../engine/http/request/info.ts';
import type { ApiRequest, RequestOf } from '../../schema/context.ts';

/** The part of the context that all requests share. */
export interface CommonContext
  extends Pick<
    ApiRequest,
    'services' | 'subscriptions' | 'clickWatch' | 'longWorks' | 'documentChecks' | 'timeouts' | 'log'
  > {
  readonly db: Data;
}

export interface RequestDependencies {
  readonly common: CommonContext;
  readonly access: KeyAccess;
  readonly readers: Pick<Readers<Client>, 'readerFor' | 'wrote'>;
  readonly inFlight: InFlight;
  now(): Date;
}

/** A request that is known so far: its answer, and its response, if it is one over HTTP. */
interface Begun {
  readonly req: IncomingMessage;
  readonly info: RequestInfo;
  readonly answer: Answering;
  readonly res: ServerResponse | null;
}

/** Counts a request of a caller, and makes the part of its context that APIs need. @throws DomainError */
async function beginFor(
  actor: LiveActor,
  { req, info, answer, res }: Begun,
  { common, access, readers, inFlight, now }: RequestDependencies,
): Promise<ApiRequest> {
  const { db: primary, ...shared } = common;
  const { accountId } = actor;
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
    onClosed: (listener) => access.onClosed(actor, answer, listener),
    named(operation) {
      info.operation ??= operation;
    },
    usedDeprecated(fields) {
      if (fields.length > 0) info.deprecated = fields;
    },
  };
}

/** @param bySession whether users' sessions count, besides keys */
export function createRequestReader(dependencies: RequestDependencies, bySession: boolean): RequestOf {
  const { access } = dependencies;
  return async (req, res) => {
    const actor = await (bySession ? access.authenticateAny(req) : access.authenticate(req));
    return beginFor(actor, { req, info: getRequestInfo(res), answer: res, res }, dependencies);
  };
}

/** Creates the functions by which WebSockets know their callers, and those of their operations. */
export function createSocketReader(dependencies: RequestDependencies) {
  const { access } = dependencies;
  return {
    async connect(
      req: IncomingMessage,
      connection: Answering,
      onChange: (error: unknown) => void,
    ): Promise<LiveActor> {
      const actor = await access.authenticateAny(req);
      access.onClosed(actor, connection, (isOver) => {
        if (!connection.destroyed) onChange(isOver ? findEnd(actor) : null);
      });
      return actor;
    },
    async readOperation(req: IncomingMessage, info: RequestInfo, operation: Answering): Promise<ApiRequest> {
      const actor = await access.authenticateAny(req);
      return beginFor(actor, { req, info, answer: operation, res: null }, dependencies);
    },
  };
}

/** Returns the error that a new request of a caller gets whose key, session, user or membership has ended. */
function findEnd(actor: LiveActor): unknown {
  try {
    actor.requireAlive();
    return null;
  } catch (error) {
    return error;
  }
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

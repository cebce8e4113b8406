import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Data } from '../db/database.ts';
import type { Readers } from '../db/postgresql/replicas.ts';
import type { ListReader } from '../db/reading/list-reader.ts';
import { type Actor, actorFor, type RateLimitState } from '../domain/access/actor.ts';

import type { ChangeSubscriptions } from '../domain/change/subscriptions.ts';
import type { KeyedWrite } from '../domain/idempotent-write.ts';
import type { Services } from '../domain/services.ts';
import type { InFlight } from '../http/limits/in-flight.ts';
import { requestInfoOf, signalOf } from '../http/request/info.ts';
import type { KeyAccess } from '../http/request/key-access.ts';
import type { Operation } from './document.ts';

/** Where an account's data comes from and goes to. */
export interface DataSource {
  /** For mutations and subscriptions. */
  readonly primary: Data;
  /** For queries: a database that has all of the account's writes. */
  reader(): Data;
  /** Await it after a mutation, before answering: then all later reads include the mutation. */
  wrote(): Promise<void>;
}

/** What is known of a request, whoever sent it. */
export interface ApiRequest {
  readonly actor: Actor;
  /** The state of the key's rate limit; null without a limit. */
  readonly rateLimit: RateLimitState | null;
  readonly requestId: string;
  readonly log: Logger;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
  readonly services: Services;
  readonly subscriptions: ChangeSubscriptions;
  readonly data: DataSource;
  /** The write with the request's Idempotency-Key, if it has one. */
  readonly keyed?: KeyedWrite;
  /** The time of the request: the whole answer uses the same time. */
  now(): Date;
  /** Runs an execution, which occupies the request's place until it has ended. */
  running<T>(execution: () => PromiseLike<T> | T): Promise<T>;
  /** Calls the listener when the answer is complete, the client has left, or its key is no longer valid. */
  onClosed(listener: () => void): void;
  /** Sets the name of the operation for the log and the metrics; the first name counts. */
  named(operation: string): void;
  /** Called with the deprecated fields that are used, for the metrics. */
  usedDeprecated(fields: readonly string[]): void;
}

/** The context of one execution: the request, and its data. Plugins attach caches to it. */
export interface Context extends ApiRequest {
  readonly db: Data;
  readonly lists: ListReader;
  readonly operation: Operation;
  /** Aborted when the client has left: then queries end before their next statement. Mutations are completed. */
  readonly signal: AbortSignal;
  /** Whether expected failures are thrown, as v1 needs them, and not part of a mutation's result. */
  readonly throwsFailures: boolean;
  /** Whether the answer may be so large that its execution should pause for other work. */
  readonly isHeavy: boolean;
  /** Called with the size of targets in the answer, in bytes; throws beyond the limit. */
  spendOnTargets(bytes: number): void;
}

/** What all requests have in common. */
export interface CommonContext extends Pick<ApiRequest, 'services' | 'subscriptions' | 'log'> {
  readonly db: Data;
}

export interface RequestDependencies {
  readonly common: CommonContext;
  readonly access: KeyAccess;
  readonly readers: Pick<Readers, 'readerFor' | 'wrote'>;
  readonly inFlight: InFlight;
  now(): Date;
}

/**
 * Reads what is known of a request to the APIs.
 * @throws DomainError UNAUTHENTICATED without a valid key, RATE_LIMITED beyond the rate limit
 */
export type RequestOf = (req: IncomingMessage, res: ServerResponse) => Promise<ApiRequest>;

/** @param bySession whether users' sessions count, besides keys */
export function createRequestOf(dependencies: RequestDependencies, bySession: boolean): RequestOf {
  const { common, access, readers, inFlight, now } = dependencies;
  const { db: primary, ...shared } = common;
  return async (req, res) => {
    const actor = await (bySession ? access.authenticateAny(req) : access.authenticate(req));
    const { accountId } = actor;
    const info = requestInfoOf(res);
    info.actor = actor;
    const time = now();
    const rateLimit = await access.countRequest(actor, res, time);
    return {
      ...shared,
      actor,
      rateLimit,
      requestId: info.requestId,
      signal: signalOf(info),
      data: {
        primary,
        reader: () => readers.readerFor(accountId),
        wrote: () => readers.wrote(accountId),
      },
      now: () => time,
      running: (execution) => inFlight.run(res, execution),
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
export function createOwnerRequestOf({ db, ...shared }: CommonContext, now: () => Date) {
  return (accountId: number): ApiRequest => {
    const time = now();
    return {
      ...shared,
      actor: actorFor(accountId, null, ['read']),
      rateLimit: null,
      requestId: 'webhook',
      signal: new AbortController().signal,
      data: { primary: db, reader: () => db, wrote: async () => {} },
      now: () => time,
      running: async (execution) => execution(),
      onClosed() {},
      named() {},
      usedDeprecated() {},
    };
  };
}

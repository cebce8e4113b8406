import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Data } from '../db/database.ts';
import type { AccountReader } from '../db/reading/account-reader.ts';
import type { AskedActor } from '../domain/access/live-actor.ts';
import type { LongWork, LongWorks } from '../domain/long-work.ts';
import type { DocumentChecks } from '../domain/operation/checks.ts';
import type { Services } from '../domain/services.ts';
import type { ClickWatch } from '../domain/statistics/click-watch.ts';
import type { ChangeSubscriptions } from '../engine/changes/subscriptions.ts';
import type { KeyCaller } from '../engine/db/keyed-request.ts';
import type { EngineRequest, Execution } from '../engine/graphql/api.ts';
import type { RateLimitState } from '../engine/rules/caller.ts';

/** Where an account's data comes from and goes to. Executions use it by a `RequestData`. */
export interface DataSource {
  /** For mutations and subscriptions. */
  readonly primary: Data;
  /** For queries: a database that has all of the account's writes. */
  reader(): Data;
  /** Await it after a mutation, before answering: then all later reads include the mutation. */
  wrote(): Promise<void>;
}

/** Limits in milliseconds: the time of a mutation, and its waiting for name servers in all. */
export interface Timeouts {
  readonly mutation: number;
  readonly nameServers: number;
}

/** The parts of a request that do not depend on its transport. */
export interface ApiRequest extends EngineRequest {
  readonly actor: AskedActor;
  /** The state of the key's rate limit; null without a limit. */
  readonly rateLimit: RateLimitState | null;
  /** The header Accept-Language, by which mails are written. */
  readonly acceptLanguage: string;
  readonly timeouts: Timeouts;
  readonly services: Services;
  readonly subscriptions: ChangeSubscriptions;
  readonly clickWatch: ClickWatch;
  readonly longWorks: LongWorks;
  /** The checks of documents of saved operations, by the schema of this process. */
  readonly documentChecks: DocumentChecks;
  readonly data: DataSource;
  /** The caller as one of writes with an idempotency key. */
  keyCaller(): KeyCaller;
  /** Reads what the caller may do now. @throws DomainError UNAUTHENTICATED, FORBIDDEN if its key or session has ended */
  updateRights(): Promise<void>;
  /** The time of the request: the whole answer uses the same time. */
  now(): Date;
  /** Call it before a file is sent, which has a place of its own kind. @throws DomainError UNAVAILABLE if there is none */
  sendsFile(): void;
  /**
   * Calls the listener when the answer is complete, the client has left, or its key or session has other rights or is no longer
   * valid (`isOver`).
   */
  onClosed(listener: (isOver: boolean) => void): void;
}

/**
 * Reads what is known of a request to the APIs.
 * @throws DomainError UNAUTHENTICATED without a valid key, RATE_LIMITED beyond the rate limit, UNAVAILABLE beyond the account's
 * share of places
 */
export type RequestOf = (req: IncomingMessage, res: ServerResponse) => Promise<ApiRequest>;

/** The context of one execution: the request, and its data. Plugins attach caches to it. */
export interface Context extends ApiRequest, Execution {
  readonly signal: AbortSignal;
  readonly db: Data;
  readonly lists: AccountReader;
  readonly longWork: LongWork;
  /** Called with the size of targets in the answer, in bytes; throws beyond the limit. */
  spendOnTargets(bytes: number): void;
  /** Bytes of rules and tests that `spendOnTargets` has counted as they were read, and not yet as parts of the answer. */
  readonly rulesRead: { bytes: number };
}

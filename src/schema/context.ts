import type { DocumentNode, FieldNode, OperationDefinitionNode } from 'graphql';
import type { Logger } from 'pino';
import type { Data } from '../db/database.ts';
import type { AccountReader } from '../db/reading/account-reader.ts';
import type { LinkSelect } from '../db/reading/link-list.ts';
import type { AskedActor } from '../domain/access/live-actor.ts';
import type { RateLimitState } from '../domain/caller.ts';
import type { ChangeSubscriptions } from '../domain/change/subscriptions.ts';
import type { KeyCaller, KeyedWrite } from '../domain/idempotent-write.ts';
import type { LongWork, LongWorks } from '../domain/long-work.ts';
import type { Services } from '../domain/services.ts';

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
export interface ApiRequest {
  readonly actor: AskedActor;
  /** The state of the key's rate limit; null without a limit. */
  readonly rateLimit: RateLimitState | null;
  readonly requestId: string;
  /** The header Accept-Language, by which mails are written. */
  readonly acceptLanguage: string;
  readonly log: Logger;
  /** Aborted when the client has left, so that queries end before their next statement; in a mutation, when its time is over. */
  readonly signal: AbortSignal;
  readonly timeouts: Timeouts;
  readonly services: Services;
  readonly subscriptions: ChangeSubscriptions;
  readonly longWorks: LongWorks;
  readonly data: DataSource;
  /** The write with the request's Idempotency-Key, if it has one. */
  readonly keyed?: KeyedWrite;
  /** The caller as one of writes with an idempotency key. */
  keyCaller(): KeyCaller;
  /** Reads what the caller may do now. @throws DomainError UNAUTHENTICATED, FORBIDDEN if its key or session has ended */
  updateRights(): Promise<void>;
  /** The time of the request: the whole answer uses the same time. */
  now(): Date;
  /** Runs an execution, which occupies the request's place until it has ended. */
  running<T>(execution: () => Promise<T>): Promise<T>;
  /** Call it before a file is sent, which has a place of its own kind. @throws DomainError UNAVAILABLE if there is none */
  sendsFile(): void;
  /** Call it before a stream of answers is sent, which needs no place. */
  sendsStream(): void;
  /**
   * Calls the listener when the answer is complete, the client has left, or its key or session has other rights or is no longer
   * valid (`isOver`).
   */
  onClosed(listener: (isOver: boolean) => void): void;
  /** Sets the name of the operation for the log and the metrics; the first name counts. */
  named(operation: string): void;
  /** Called with the deprecated fields that are used, for the metrics. */
  usedDeprecated(fields: readonly string[]): void;
}

/** An operation as the schema reads it. */
export interface ParsedOperation {
  readonly document: DocumentNode;
  readonly node: OperationDefinitionNode;
  readonly number: number;
  readonly plans: Map<FieldNode, LinkSelect>;
  readonly facts: { readonly hasDirectives: boolean };
}

/** The context of one execution: the request, and its data. Plugins attach caches to it. */
export interface Context extends ApiRequest {
  readonly db: Data;
  /** @throws DomainError the one that a new request gets, if the caller may not do the operation any more */
  ask(): void;
  readonly lists: AccountReader;
  readonly longWork: LongWork;
  readonly operation: ParsedOperation;
  /** True if expected failures are thrown, as v1 needs them. Otherwise they are part of a mutation's result. */
  readonly throwsFailures: boolean;
  /** True if the response may be so large that its execution should pause for other work. */
  readonly isHeavy: boolean;
  /** Called with the size of targets in the answer, in bytes; throws beyond the limit. */
  spendOnTargets(bytes: number): void;
}

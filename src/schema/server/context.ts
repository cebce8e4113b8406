import type { ExecutionResult } from 'graphql';
import type { Logger } from 'pino';
import type { Data } from '../../db/database.ts';
import { ListReader } from '../../db/reading/list-reader.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { ChangeSubscriptions } from '../../domain/change/subscriptions.ts';
import type { KeyedWrite } from '../../domain/idempotent-write.ts';
import type { Services } from '../../domain/services.ts';
import type { OperationRecord } from './operation-record.ts';

/** The number of requests that a key may make in a window, the rest, and the end of the window. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
}

/** The context of one execution. It must be a new object each time, since plugins attach caches to it. */
export interface Context {
  /** The primary; during a query, the database that the account may read from. */
  readonly db: Data;
  readonly lists: ListReader;
  /** The database that this account's queries may read from. */
  reader(): Data;
  /** Await it after a mutation, before answering: then all later reads include the mutation. */
  wrote(): Promise<void>;
  readonly actor: Actor;
  /** The state of the key's rate limit; null without a limit. */
  readonly rateLimit: RateLimitState | null;
  readonly services: Services;
  readonly subscriptions: ChangeSubscriptions;
  /** Aborted when the client has left: then queries end before their next statement. Mutations are completed. */
  readonly signal: AbortSignal;
  /** Runs an execution, which occupies the request's place until it has ended. */
  running<T>(execution: () => PromiseLike<T> | T): Promise<T>;
  /** Calls the listener when the answer is complete, the client has left, or its key is no longer valid. */
  onClosed(listener: () => void): void;
  readonly requestId: string;
  readonly log: Logger;
  /** Facts about the operation that are computed once. */
  readonly record?: OperationRecord;
  /** The keyed write of a request with an Idempotency-Key. */
  readonly keyed?: KeyedWrite;
  /** The result, if the operation is executed already and the server has only to send it. */
  readonly executed?: ExecutionResult;
  /** Sets the name of the operation for the log and the metrics; the first name counts. */
  named(operation: string): void;
  /** Called with the deprecated fields that are used, for the metrics. */
  usedDeprecated(fields: readonly string[]): void;
  /** Whether the answer may be so large that its execution should pause for other work. */
  readonly isHeavy?: boolean;
  /** Called with the size of targets in the answer, in bytes; throws beyond the limit. */
  spendOnTargets?(bytes: number): void;
  /** The time of the request: the whole answer uses the same time. */
  now(): Date;
}

/** The database and the lists for the account's queries. */
export function readingOf({ db, lists, reader, actor, signal }: Context): Pick<Context, 'db' | 'lists'> {
  const chosen = reader();
  return chosen === db
    ? { db, lists }
    : { db: chosen, lists: new ListReader(chosen, actor.accountId, signal) };
}

/** The same for a mutation, which is completed even if its client leaves. */
export function writingOf({ db, actor }: Context): Pick<Context, 'lists' | 'signal'> {
  const { signal } = new AbortController();
  return { lists: new ListReader(db, actor.accountId, signal), signal };
}

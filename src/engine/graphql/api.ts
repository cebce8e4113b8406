import type { GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { KeyedWrite } from '../db/idempotent-write.ts';
import type { Caller } from '../rules/caller.ts';
import type { Deadline } from '../tools/deadline.ts';
import type { Definition } from './definition.ts';
import type { Operation } from './document.ts';

/** A request to an API as the engine sees it. */
export interface EngineRequest {
  readonly actor: Caller & {
    /** @throws DomainError the one that a new request gets, if the key, session, user or membership has ended */
    requireAlive(): void;
  };
  readonly requestId: string;
  readonly log: Logger;
  /** Aborted when the client has left, so that queries end before their next statement; in a mutation, when its time is over. */
  readonly signal: AbortSignal;
  readonly timeouts: {
    /** Milliseconds that a mutation may take. */
    readonly mutation: number;
  };
  readonly subscriptions: {
    /** Does some work of an account when it is its turn. */
    inTurn<T>(accountId: number, work: () => Promise<T>): Promise<T>;
  };
  readonly data: {
    /** Await it after a mutation, before answering: then all later reads include the mutation. */
    wrote(): Promise<void>;
  };
  /** The write with the request's Idempotency-Key, if it has one. */
  readonly keyed?: KeyedWrite;
  /** Runs an execution, which occupies the request's place until it has ended. */
  running<T>(execution: () => Promise<T>): Promise<T>;
  /** Call it before a stream of answers is sent, which needs no place. */
  sendsStream(): void;
  /** Sets the name of the operation for the log and the metrics; the first name counts. */
  named(operation: string): void;
  /** Called with the deprecated fields that are used, for the metrics. */
  usedDeprecated(fields: readonly string[]): void;
}

/** One execution of an operation, or of an event of a subscription. */
export interface Execution {
  readonly operation: Operation;
  readonly signal: AbortSignal;
  /** The time of a mutation; null for other operations. */
  readonly deadline: Deadline | null;
  /** @throws DomainError the one that a new request gets, if the caller may not do the operation any more */
  ask(): void;
  /** True for documents of the product's own: expected failures are thrown, and not part of a mutation's result. */
  readonly throwsFailures: boolean;
  /** True if a root field, or an item of its list, is null where it fails, and leaves the others as they are. */
  readonly failsApart: boolean;
  /** The ids of the changes in the log that it has recorded so far, in order. */
  readonly changeIds: number[];
  /** True if the response may be so large that its execution should pause for other work. */
  readonly isHeavy: boolean;
}

/** A GraphQL API whose operations can be executed: what a product gives beside its schema. */
export interface Api<Request extends EngineRequest, Context extends Request & Execution> extends Definition {
  /** Makes the context of an execution, with its data. */
  contextOf(request: Request, execution: Execution): Context;
  /** @throws DomainError FORBIDDEN */
  requirePermission(actor: Request['actor'], permission: string): void;
  /** The limits that a client is told who asks for the cost of an operation. */
  readonly limits: Readonly<Record<string, number>>;
  /** True if an error of a field rolls back a write with an Idempotency-Key. */
  rollsBack(error: GraphQLError): boolean;
}

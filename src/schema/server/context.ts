import type { OperationDefinitionNode } from 'graphql';
import type { Logger } from 'pino';
import type { Db } from '../../db/connection/client.ts';
import { ListReader } from '../../db/reading/list-reader.ts';
import type { Actor } from '../../domain/access/actor.ts';
import type { ChangeSubscriptions } from '../../domain/change/subscriptions.ts';
import type { KeyedWrite } from '../../domain/keyed-write.ts';
import type { Site } from '../../domain/link/link.ts';

/** How many requests a key may make in a window, and how many are left of it until it ends. */
export interface RateLimitState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetAt: Date;
}

/** What every execution gets, fresh: plugins keep caches on it. */
export interface Context {
  /** The primary; while a query is executed, what its account may read from. */
  readonly db: Db;
  readonly lists: ListReader;
  /** What this account's queries may read from. */
  reader(): Db;
  /** To be awaited after a mutation, before it is told of: from then on all see what it did. */
  wrote(): Promise<void>;
  readonly actor: Actor;
  /** What the key may still ask for; null where there is no limit. */
  readonly rateLimit: RateLimitState | null;
  readonly site: Site;
  readonly subscriptions: ChangeSubscriptions;
  readonly requestId: string;
  readonly log: Logger;
  /** The write that the request is, where it came with a key to be done once. */
  readonly keyed?: KeyedWrite;
  /** Names what is executed, for the log and the metrics; the first name counts. */
  named(operation: string): void;
  /** Hears which deprecated fields are asked for, for the metrics. */
  usedDeprecated(fields: readonly string[]): void;
  /** Whether the answer may be so large that others should have their turn while it is made. */
  readonly isHeavy?: boolean;
  /** Hears how much text of targets the answer has, in bytes; throws where it is too much. */
  spendOnTargets?(bytes: number): void;
  /** The moment of the request: all of its answer is true of one moment. */
  now(): Date;
}

/** Where the account's queries read. */
export function readingOf({ db, lists, reader }: Context): Pick<Context, 'db' | 'lists'> {
  const chosen = reader();
  return chosen === db ? { db, lists } : { db: chosen, lists: new ListReader(chosen) };
}

/** What the log and the metrics call an operation. */
export function nameOf({ name, operation }: OperationDefinitionNode): string {
  return name?.value ?? operation;
}

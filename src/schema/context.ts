import type { Logger } from 'pino';
import type { Db } from '../db/client.ts';
import type { Actor } from '../domain/actor.ts';

/** What every execution gets, fresh: plugins keep caches on it. */
export interface Context {
  readonly db: Db;
  readonly actor: Actor;
  readonly requestId: string;
  readonly log: Logger;
  now(): Date;
}

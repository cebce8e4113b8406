import { handleOf } from './db.ts';
import { postgresql } from './dialect-postgresql.ts';
import { sqlite } from './dialect-sqlite.ts';
import type { Dialect } from './dialect-types.ts';

/** The dialect of a client's or a transaction's database. */
export function dialectOf(client: object): Dialect {
  return handleOf(client).source.provider === 'sqlite' ? sqlite : postgresql;
}

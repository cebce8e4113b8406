import { handleOf } from './db.ts';
import { postgresql } from './dialect-postgresql.ts';
import { sqlite } from './dialect-sqlite.ts';
import type { Dialect } from './dialect-types.ts';

export function dialectOf(client: object): Dialect {
  return handleOf(client).source.provider === 'sqlite' ? sqlite : postgresql;
}

import type { RequestHandler } from 'express';
import type { Database } from '../db/connection/client.ts';
import { pendingMigrations } from '../db/migrate.ts';
import { TIMED_OUT, withTimeout } from '../shared/timeout.ts';

const CHECK_TIMEOUT = 2000;
const NOT_CACHED = { 'Cache-Control': 'no-store' };

async function isReady(database: Database): Promise<boolean> {
  const pending = pendingMigrations(database).catch((): typeof TIMED_OUT => TIMED_OUT);
  const answer = await withTimeout(CHECK_TIMEOUT, pending);
  return answer !== TIMED_OUT && answer.length === 0;
}

/** 200 while the process runs. */
export const livez: RequestHandler = (_req, res) => {
  res.set(NOT_CACHED).json({ status: 'ok' });
};

/** 200 when the database answers and its migrations are applied, else 503. */
export function readyz(database: Database): RequestHandler {
  return async (_req, res) => {
    const ready = await isReady(database);
    res
      .set(NOT_CACHED)
      .status(ready ? 200 : 503)
      .json({ status: ready ? 'ok' : 'unavailable' });
  };
}

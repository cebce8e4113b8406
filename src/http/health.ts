import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { pendingMigrations } from '../db/migration-state.ts';
import { RepeatedFault } from '../shared/repeated-fault.ts';
import { singleFlight } from '../shared/single-flight.ts';
import { TIMED_OUT, withTimeout } from '../shared/timeout.ts';

const CHECK_TIMEOUT = 2000;
/** How long the result of the check for disk space is valid, in milliseconds. */
const SPACE_CHECK_INTERVAL = 1_000;
const NOT_CACHED = { 'Cache-Control': 'no-store' };

export const livez: RequestHandler = (_req, res) => {
  res.set(NOT_CACHED).json({ status: 'ok' });
};

/** 200 when the database answers, its migrations are applied and it has space to write, else 503. */
export function readyz(database: Database, log: Logger): RequestHandler {
  const fault = new RepeatedFault(log, 'not ready, since the database cannot be written');
  let triedAt = Number.NEGATIVE_INFINITY;
  let hasSpace = false;
  const trySpaceOnce = singleFlight(async () => {
    hasSpace = false;
    try {
      await database.trySpace();
      hasSpace = true;
      fault.ended();
    } catch (error) {
      fault.occurred(error);
    }
    triedAt = performance.now();
  });
  const isReady = async () => {
    if ((await pendingMigrations(database)).length > 0) return false;
    if (performance.now() - triedAt >= SPACE_CHECK_INTERVAL) await trySpaceOnce();
    return hasSpace;
  };
  return async (_req, res) => {
    const ready = await withTimeout(
      CHECK_TIMEOUT,
      isReady().catch(() => false),
    );
    const isOk = ready !== TIMED_OUT && ready;
    res
      .set(NOT_CACHED)
      .status(isOk ? 200 : 503)
      .json({ status: isOk ? 'ok' : 'unavailable' });
  };
}

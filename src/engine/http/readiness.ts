import type { ChangeFeed } from '../changes/feed.ts';
import { requireAnswers } from '../db/answer-watch.ts';
import type { Database } from '../db/database.ts';
import { DatabaseAway, isUnavailable } from '../db/errors.ts';
import { requireReadable } from '../db/readable.ts';
import { singleFlight } from '../tools/single-flight.ts';
import { TIMED_OUT, withTimeout } from '../tools/timeout.ts';

/** Why a process is not ready. */
export const unreadyReasons = [
  ...(['stopping', 'database', 'migrations', 'changes', 'writes', 'storage'] as const),
] as const;
export type UnreadyReason = (typeof unreadyReasons)[number];

/** Why a process is not ready, with the error; null if it is. */
export type Readiness = { readonly reason: UnreadyReason; readonly error: unknown } | null;

/** The time that the database may take, in milliseconds. */
const CHECK_TIMEOUT = 2000;
/** Milliseconds between two checks of disk space, and of the writer if no write was answered. */
const CHECK_INTERVAL = 1_000;
/** Milliseconds for which a check waits for the writer, which may be busy for longer. */
const WRITE_TIMEOUT = 500;

/** A part of the check that failed; the cause is the error. */
class NotReady extends Error {
  readonly reason: UnreadyReason;

  constructor(reason: UnreadyReason, cause: unknown) {
    super(reason, { cause });
    this.reason = reason;
  }
}

async function part(reason: UnreadyReason, check: () => unknown): Promise<void> {
  try {
    await check();
  } catch (error) {
    throw new NotReady(reason, error);
  }
}

/** A function that begins the work at most once a second, and not while it runs; further calls share its result. */
function onceASecond(work: () => Promise<void>): () => Promise<void> {
  let beganAt = Number.NEGATIVE_INFINITY;
  let last: Promise<void> = Promise.resolve();
  const run = singleFlight(work);
  return () => {
    if (performance.now() - beganAt >= CHECK_INTERVAL) {
      beganAt = performance.now();
      last = run();
    }
    return last;
  };
}

/** Returns a check that throws unless the database answers, tells of changes, has all migrations, and takes writes. */
export function writable(
  database: Database,
  feed: Pick<ChangeFeed, 'freshIfAvailable' | 'unansweredFor'>,
): () => Promise<void> {
  const { writes } = database;
  const tryDisk = onceASecond(() => database.tryDisk());
  const tryWrite = onceASecond(() => database.tryWrite().catch(() => {}));
  return async () => {
    await part('migrations', () => requireReadable(database));
    await feed.freshIfAvailable();
    await part('changes', () => requireAnswers(feed.unansweredFor, 'changes'));
    if (writes.quietFor >= CHECK_INTERVAL) await withTimeout(WRITE_TIMEOUT, tryWrite());
    await part('writes', () => requireAnswers(writes.unansweredFor, 'writes'));
    await part('storage', tryDisk);
  };
}

/** The error of a check, with the part that failed: a database that is away shows in the first one. */
function unready(error: unknown): Readiness {
  if (!(error instanceof NotReady)) return { reason: 'database', error };
  const { cause } = error;
  const isAway = error.reason === 'migrations' && isUnavailable(cause);
  return { reason: isAway ? 'database' : error.reason, error: cause };
}

/** @param requireReady throws if the database is not ready */
export async function readReadiness(
  requireReady: () => Promise<void>,
  isStopping: () => boolean,
): Promise<Readiness> {
  try {
    if ((await withTimeout(CHECK_TIMEOUT, requireReady())) === TIMED_OUT)
      throw new DatabaseAway('the database did not answer in time');
    return isStopping() ? { reason: 'stopping', error: null } : null;
  } catch (error) {
    return unready(error);
  }
}

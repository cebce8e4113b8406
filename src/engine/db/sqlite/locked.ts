// Waits for other processes that have the SQLite file locked. SQLite's own busy timeout would block the thread for that
// time, so connections have none. Statements are repeated instead.
import { setTimeout } from 'node:timers/promises';
import { isLocked } from '../errors.ts';
import { LOCK_TIMEOUT } from './file.ts';

/** Milliseconds between two attempts on a locked file. */
const RETRY_INTERVAL = 25;

/** Runs a statement; retries while another process has the file locked, without blocking the thread. */
export async function whenUnlocked<T>(run: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + LOCK_TIMEOUT;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error;
      await setTimeout(RETRY_INTERVAL);
    }
  }
}

import { setTimeout } from 'node:timers/promises';
import { LOCK_TIMEOUT } from './sqlite-file.ts';

/** How often a locked file is tried again, in milliseconds. */
const RETRY_INTERVAL = 25;

/** Whether another process has locked the SQLite file: the driver reports SQLITE_BUSY, Prisma's adapter SocketTimeout. */
function isLocked(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return /SQLITE_BUSY|SocketTimeout/.test(`${error} ${code}`);
}

/** Runs a statement on a SQLite file; retries while another process has it locked, without blocking the thread. */
export async function whenUnlocked<T>(run: () => Promise<T>): Promise<T> {
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

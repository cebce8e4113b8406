import { setTimeout } from 'node:timers/promises';
import { LOCK_TIMEOUT } from './sqlite-file.ts';

/** How often it is tried whether the file is free again, in milliseconds. */
const TRIED_EVERY = 25;

/** Whether another process had a SQLite file for itself: the driver tells so by SQLite's name of it, Prisma's adapter by another. */
function isLocked(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return /SQLITE_BUSY|SocketTimeout/.test(`${error} ${code}`);
}

/** Runs a statement on a SQLite file; again while another process has it locked, without holding the thread meanwhile. */
export async function whenUnlocked<T>(run: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + LOCK_TIMEOUT;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!isLocked(error) || performance.now() > deadline) throw error;
      await setTimeout(TRIED_EVERY);
    }
  }
}

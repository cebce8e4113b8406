import { setTimeout } from 'node:timers/promises';
import { isWriteConflict } from './errors.ts';

const TRIES = 10;

/**
 * Does one write, and does it again where it gave way to another in a deadlock: nothing of it was done then. `write` is one
 * operation of the client, and so one transaction.
 */
export async function retryConflicts<T>(write: () => PromiseLike<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await write();
    } catch (error) {
      if (tried === TRIES || !isWriteConflict(error)) throw error;
      // Those that met once must not meet again.
      await setTimeout(Math.random() * 10 * tried);
    }
  }
}

import { setTimeout } from 'node:timers/promises';
import { mayPass } from './errors.ts';

const MAX_TRIES = 10;

/**
 * Does one write, and repeats it after a deadlock, which rolled it back. `write` must be one operation of the client, and
 * so one transaction.
 */
export async function retryConflicts<T>(write: () => PromiseLike<T>): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await write();
    } catch (error) {
      if (tried === MAX_TRIES || !mayPass(error)) throw error;
      // A random pause, so that the same writes do not conflict again.
      await setTimeout(Math.random() * 10 * tried);
    }
  }
}

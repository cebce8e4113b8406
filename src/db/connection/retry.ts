import { setTimeout } from 'node:timers/promises';
import { isForeignKeyViolation, isTransient, isUniqueViolation } from './errors.ts';

const MAX_ATTEMPTS = 10;

/** Does a write, which must be one transaction, and repeats it after an error that a repetition may not have. */
async function retrying<T>(write: () => PromiseLike<T>, mayHelp: (error: unknown) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await write();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !mayHelp(error)) throw error;
      // A random pause, so that the same writes do not conflict again.
      await setTimeout(Math.random() * 10 * attempt);
    }
  }
}

/** Repeats a write after a deadlock, which rolled it back. */
export function retryConflicts<T>(write: () => PromiseLike<T>): Promise<T> {
  return retrying(write, isTransient);
}

/** Repeats a write that checked records which somebody else has changed or deleted before it was done. */
export function retryOvertaken<T>(write: () => PromiseLike<T>): Promise<T> {
  return retrying(write, (error) => isForeignKeyViolation(error) || isUniqueViolation(error));
}

import { ask, type SignedIn } from './auth.ts';
import { forgetAll, keepDraftsOf } from './drafts.ts';
import { Fault } from './faults.ts';
import { forgetSeen } from './seen.ts';

const isOver = (error: unknown): error is Fault => error instanceof Fault && error.kind === 'session';

/** True if the session has expired of late, and nobody has ended it. */
export const hasExpired = (error: Fault): boolean => error.told.rule === 'SESSION_EXPIRED';

/**
 * Finds the user who is signed in. If nobody is, drafts stay only if the session expired.
 * @throws Fault
 */
export async function findUser(): Promise<SignedIn> {
  try {
    const who = await ask<SignedIn>('session');
    keepDraftsOf(who.user.id);
    return who;
  } catch (error) {
    if (isOver(error)) hasExpired(error) ? forgetSeen() : forgetAll();
    throw error;
  }
}

import { openChannel } from './channel.ts';
import { forgetAll } from './drafts.ts';

let answer: ((isDone: boolean) => void) | null = null;
const listeners = new Set<() => void>();

function put(next: typeof answer): void {
  answer = next;
  for (const listener of listeners) listener();
}

/** True while somebody is asked to sign in again: for `useSyncExternalStore`. */
export const signInAgain = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (): boolean => answer !== null,
  end: (isDone: boolean): void => {
    answer?.(isDone);
    put(null);
  },
};

/** Asks for a new sign-in, which some actions need. Resolves with true if somebody signed in again. */
export function askToSignIn(): Promise<boolean> {
  answer?.(false);
  return new Promise(put);
}

/** The channel on which a tab tells the others which user signed in: an id, or null for nobody. */
export const USER_CHANNEL = 'linkspace.user';

export function tellUser(id: string | null): void {
  if (id === null) forgetAll();
  const channel = openChannel<string | null>(USER_CHANNEL);
  channel.send(id);
  channel.close();
}

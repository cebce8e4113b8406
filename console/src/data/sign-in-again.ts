import { openChannel } from './channel.ts';
import { forgetAll } from './drafts.ts';
import { makeStore } from './store.ts';

/** Takes the answer of somebody who is asked. */
const asked = makeStore<((isDone: boolean) => void) | null>(null);

/** True while somebody is asked to sign in again: for `useSyncExternalStore`. */
export const signInAgain = {
  subscribe: asked.subscribe,
  get: (): boolean => asked.get() !== null,
  end(isDone: boolean): void {
    asked.get()?.(isDone);
    asked.set(null);
  },
};

/** Asks for a new sign-in, which some actions need. Resolves with true if somebody signed in again. */
export function askToSignIn(): Promise<boolean> {
  asked.get()?.(false);
  return new Promise(asked.set);
}

/** The channel on which a tab tells the others which user signed in: an id, or null for nobody. */
export const USER_CHANNEL = 'linkspace.user';

export function tellUser(id: string | null): void {
  if (id === null) forgetAll();
  const channel = openChannel<string | null>(USER_CHANNEL);
  channel.send(id);
  channel.close();
}

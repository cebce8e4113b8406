import { makeStore } from './store.ts';

/** The number of links that are remembered. */
const MOST_LINKS = 50;

// In memory alone: a browser may have several people.
const all = makeStore<ReadonlyMap<string, string>>(new Map());

/** The times up to which somebody in this tab knows the changes of links, by links: for `useSyncExternalStore`. */
export const seen = {
  subscribe: all.subscribe,
  get: (name: string): string | undefined => all.get().get(name),
  keep(name: string, until: string): void {
    const others = [...all.get()].filter(([one]) => one !== name);
    all.set(new Map([...others, [name, until] as const].slice(-MOST_LINKS)));
  },
};

export const forgetSeen = (): void => all.set(new Map());

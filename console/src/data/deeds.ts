/** What was done to many links in this tab, and can be taken back. */
export interface Deed {
  readonly accountId: string;
  readonly at: string;
  readonly text: string;
  undo(): void;
}

/** How many are kept. */
const MOST = 5;

let deeds: readonly Deed[] = [];
const listeners = new Set<() => void>();

function set(now: readonly Deed[]): void {
  deeds = now.slice(0, MOST);
  for (const listener of listeners) listener();
}

/** The last first: for `useSyncExternalStore`. */
export const lately = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (): readonly Deed[] => deeds,
  add: (deed: Deed): void => set([deed, ...deeds]),
  remove: (deed: Deed): void => set(deeds.filter((one) => one !== deed)),
};

import { makeStore } from './store.ts';

/** An action on many links in this tab that can be undone. */
export interface Deed {
  readonly accountId: string;
  readonly at: string;
  readonly text: string;
  undo(): void;
}

/** The most that are kept. */
const MOST = 5;

const deeds = makeStore<readonly Deed[]>([]);

/** The last first. */
export const lately = {
  ...deeds,
  add: (deed: Deed): void => deeds.set([deed, ...deeds.get()].slice(0, MOST)),
  remove: (deed: Deed): void => deeds.set(deeds.get().filter((one) => one !== deed)),
};

import { storeOf } from './store.ts';

/** What was done to many links in this tab, and can be taken back. */
export interface Deed {
  readonly accountId: string;
  readonly at: string;
  readonly text: string;
  undo(): void;
}

/** How many are kept. */
const MOST = 5;

const deeds = storeOf<readonly Deed[]>([]);

/** The last first. */
export const lately = {
  ...deeds,
  add: (deed: Deed): void => deeds.set([deed, ...deeds.get()].slice(0, MOST)),
  remove: (deed: Deed): void => deeds.set(deeds.get().filter((one) => one !== deed)),
};

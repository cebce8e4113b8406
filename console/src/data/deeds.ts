import { session as kept } from './storage.ts';
import { makeStore } from './store.ts';

/** Somebody in an account, as of a session. */
export interface Doer {
  readonly accountId: string;
  readonly viewer: { readonly user: { readonly id: string } | null };
}

/** Something that was done in this tab and can be undone: the ids of its changes, whose values only the service has. */
export interface Deed {
  readonly accountId: string;
  readonly userId: string | null;
  /** The time it was done. */
  readonly at: string;
  readonly changeIds: readonly string[];
  /** The link whose form was saved; null for what was done in the list. */
  readonly linkId: string | null;
  /** The words about it; the browser does not keep them. */
  readonly text?: string;
}

/** The most that are kept of saves, and of what was done in the list. */
const MOST_SAVES = 50;
const MOST_OTHERS = 5;

const NAME = 'linkspace.done';

const isText = (value: unknown): value is string => typeof value === 'string';

/** Reads what this tab did before the page was loaded. */
function readKept(): Deed[] {
  let found: unknown;
  try {
    found = JSON.parse(kept.get(NAME) ?? '[]');
  } catch {
    found = [];
  }
  if (!Array.isArray(found)) return [];
  return found.flatMap((one): Deed[] => {
    const { accountId, userId, at, changeIds, linkId = null } = Object(one);
    if (!isText(accountId) || !isText(at) || !Array.isArray(changeIds)) return [];
    return [
      {
        ...{ accountId, at },
        userId: isText(userId) ? userId : null,
        linkId: isText(linkId) ? linkId : null,
        changeIds: changeIds.filter(isText),
      },
    ];
  });
}

const deeds = makeStore<readonly Deed[]>(readKept());

function put(now: readonly Deed[]): void {
  deeds.set(now);
  if (now.length === 0) kept.remove(NAME);
  else kept.set(NAME, JSON.stringify(now.map(({ text: _, ...deed }) => deed)));
}

/** Deeds of this tab, the last first. */
export const lately = {
  subscribe: deeds.subscribe,
  get: deeds.get,
  /** Keeps something that can be undone, and returns it. */
  add(
    { accountId, viewer }: Doer,
    { changeIds, linkId = null, text }: Pick<Deed, 'changeIds'> & Partial<Pick<Deed, 'linkId' | 'text'>>,
  ): Deed {
    const at = new Date().toISOString();
    const deed = { accountId, userId: viewer.user?.id ?? null, at, changeIds, linkId, ...(text && { text }) };
    const all = [deed, ...deeds.get()];
    const saves = all.filter((one) => one.linkId !== null).slice(0, MOST_SAVES);
    const others = all.filter((one) => one.linkId === null).slice(0, MOST_OTHERS);
    put(all.filter((one) => saves.includes(one) || others.includes(one)));
    return deed;
  },
  remove: (deed: Deed): void => put(deeds.get().filter((one) => one !== deed)),
  forget: (): void => put([]),
};

/** True for what the person did in the account. */
export const isDoneBy = ({ accountId, viewer }: Doer, deed: Pick<Deed, 'accountId' | 'userId'>): boolean =>
  deed.accountId === accountId && deed.userId === (viewer.user?.id ?? null);

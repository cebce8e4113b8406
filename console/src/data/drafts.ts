/** What was typed and not saved, kept in this browser. Passwords are never among it. */
const PREFIX = 'linkspace.draft.';
/** The draft of a new link. */
export const NEW = 'new';

/** Whose drafts they are: the next person in this browser does not see them. */
export interface Own {
  readonly accountId: string;
  readonly viewer: { readonly user: { readonly id: string } | null };
}

/** The name of a draft of a user in an account: that of a new link, or of changes to one. */
export const draftName = ({ viewer, accountId }: Own, what: string): string =>
  `${PREFIX}${viewer.user?.id}.${accountId}.${what}`;

/** What the drafts of a user in an account are of: `NEW`, or the ids of links. */
export function draftsOf(own: Own): string[] {
  const start = draftName(own, '');
  return Object.keys(localStorage).flatMap((name) =>
    name.startsWith(start) ? name.slice(start.length) : [],
  );
}

export const hasDraft = (own: Own, what: string): boolean =>
  localStorage.getItem(draftName(own, what)) !== null;

/** @param store that of the tab for what ends with it */
export function readDraft(name: string, store = localStorage): unknown {
  try {
    return JSON.parse(store.getItem(name) ?? 'null');
  } catch {
    return null;
  }
}

export function keepDraft(name: string, draft: object, store = localStorage): void {
  try {
    store.setItem(name, JSON.stringify(draft));
  } catch {
    // The browser keeps nothing, or has no room.
  }
}

export function dropDraft(name: string): void {
  localStorage.removeItem(name);
}

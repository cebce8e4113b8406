/** What was typed and not saved, kept in this browser. Passwords are never among it. */
const PREFIX = 'linkspace.draft.';
/** What is remembered of links: see `useLinkMemory`. */
const SEEN = 'linkspace.seen.';
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

/** The name of what is remembered of a link for a user in an account. */
export const seenName = ({ viewer, accountId }: Own, id: string): string =>
  `${SEEN}${viewer.user?.id}.${accountId}.${id}`;

export const seenNames = (): string[] => Object.keys(localStorage).filter((name) => name.startsWith(SEEN));

/** Forgets what is remembered of links. Drafts stay, for when the same person returns. */
export function forgetSeen(): void {
  for (const name of seenNames()) localStorage.removeItem(name);
}

/** What the drafts of a user in an account are of: `NEW`, or the ids of links. */
export function draftsOf(own: Own): string[] {
  const start = draftName(own, '');
  return Object.keys(localStorage).flatMap((name) =>
    name.startsWith(start) ? name.slice(start.length) : [],
  );
}

export const hasDraft = (own: Own, what: string): boolean =>
  localStorage.getItem(draftName(own, what)) !== null;

export function readDraft(name: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(name) ?? 'null');
  } catch {
    return null;
  }
}

export function keepDraft(name: string, draft: object): void {
  try {
    localStorage.setItem(name, JSON.stringify(draft));
  } catch {
    // The browser keeps nothing, or has no room.
  }
}

export function dropDraft(name: string): void {
  localStorage.removeItem(name);
}

import { lately } from './deeds.ts';
import { fieldsOfDraft } from './link-fields.ts';
import { forgetSeen } from './seen.ts';
import { local } from './storage.ts';
import { typedFields } from './typed.ts';

/** Names drafts: texts that were typed and not saved, without passwords, and without the link's own values. */
const PREFIX = 'linkspace.draft.';
/** Names what earlier versions kept of links. */
const SEEN = 'linkspace.seen.';
/** The draft of a new link. */
export const NEW = 'new';
/** The time a draft stays after the session was last known to be open: until it expires, and a day. */
const MAX_AGE = 36 * 60 * 60 * 1000;

/** The owner of the drafts: the next person in this browser does not see them. */
export interface Own {
  readonly accountId: string;
  readonly viewer: { readonly user: { readonly id: string } | null };
}

/** The name of a draft of a user in an account: that of a new link, or of changes to one. */
export const draftName = ({ viewer, accountId }: Own, what: string): string =>
  `${PREFIX}${viewer.user?.id}.${accountId}.${what}`;

/** Lists the drafts of a user in an account: `NEW`, or the ids of links. */
export function listDrafts(own: Own): string[] {
  const start = draftName(own, '');
  return local.names().flatMap((name) => (name.startsWith(start) ? name.slice(start.length) : []));
}

export const hasDraft = (own: Own, what: string): boolean => local.get(draftName(own, what)) !== null;

export function readDraft(name: string): unknown {
  try {
    return JSON.parse(local.get(name) ?? 'null');
  } catch {
    return null;
  }
}

export function keepDraft(name: string, draft: object): void {
  local.set(name, JSON.stringify({ ...draft, keptAt: Date.now() }));
}

export function dropDraft(name: string): void {
  local.remove(name);
}

const keptNames = (): string[] =>
  local.names().filter((name) => name.startsWith(PREFIX) || name.startsWith(SEEN));

/** Forgets all that was typed, what is known of links, and what was done. */
export function forgetAll(): void {
  for (const name of keptNames()) dropDraft(name);
  forgetSeen();
  lately.forget();
}

/** Keeps the drafts of the user who is signed in, unless they are too old, and forgets all others. */
export function keepDraftsOf(userId: string): void {
  for (const name of keptNames()) {
    const { fields, read, keptAt = Date.now(), ...draft } = Object(readDraft(name));
    const isKept = name.startsWith(`${PREFIX}${userId}.`) && keptAt > Date.now() - MAX_AGE;
    // Those of earlier versions have all fields of their links.
    const [mine, before] = [fieldsOfDraft(fields), fieldsOfDraft(read)];
    if (isKept) keepDraft(name, { ...draft, ...(mine && before && typedFields(mine, before)) });
    else dropDraft(name);
  }
}

import type { LinkWholeFragment } from '../generated/documents.ts';
import { fieldsOf, hasChangedTargets, type LinkFields } from './link-fields.ts';

/** What somebody edits, and what they saw of the link when they began. */
export interface Editing {
  readonly fields: LinkFields;
  readonly read: LinkFields;
  readonly updatedAt: string;
  /** What others changed meanwhile, which the form has taken over, and since when. */
  readonly merged?: { readonly names: readonly string[]; readonly since: string } | undefined;
  /** Whether a password was typed, which no draft has. */
  readonly lostPassword?: boolean;
}

/** What was saved of a link: its fields before and after, and when. */
export interface Saved {
  readonly before: LinkFields;
  readonly after: LinkFields;
  readonly at: string;
}

/** The names of the fields that can be taken back, of the newest save of each: those that nobody changed since. */
export function openSaves(all: readonly Saved[], now: LinkFields): (Saved & { readonly names: string[] })[] {
  const newer = new Set<string>();
  return all.toReversed().flatMap((saved) => {
    const later = changedFields(now, saved.after);
    const names = Object.keys(changedFields(saved.after, saved.before)).filter(
      (name) => !(name in later || newer.has(name)),
    );
    for (const name of names) newer.add(name);
    return [{ ...saved, names }];
  });
}

export function editingOf(link: LinkWholeFragment): Editing {
  const fields = fieldsOf(link);
  return { fields, read: fields, updatedAt: link.updatedAt };
}

/** The link as it is, with what was changed in the form since it had these fields. */
export function editingOn(link: LinkWholeFragment, fields: LinkFields, since: LinkFields): Editing {
  const theirs = editingOf(link);
  return { ...theirs, fields: { ...theirs.fields, ...changedFields(fields, since) } };
}

/** What somebody else changed, unless to what the form has, too. */
function changedByOthers(theirs: LinkFields, mine: LinkFields, read: LinkFields): string[] {
  const differing = changedFields(mine, theirs);
  return Object.keys(changedFields(theirs, read)).filter((name) => name in differing);
}

/** What both changed. */
export function fieldsInConflict(theirs: LinkFields, mine: LinkFields, read: LinkFields): string[] {
  const own = changedFields(mine, read);
  return changedByOthers(theirs, mine, read).filter((name) => name in own);
}

/** The form with what somebody else changed, where that is no conflict. */
export function mergedWith(link: LinkWholeFragment, { fields, read, updatedAt, merged }: Editing): Editing {
  const names = changedByOthers(fieldsOf(link), fields, read);
  const all = [...new Set([...(merged?.names ?? []), ...names])];
  return {
    ...editingOn(link, fields, read),
    ...(all.length > 0 && { merged: { names: all, since: merged?.since ?? updatedAt } }),
  };
}

/** The form of a link in which nothing is typed, with what somebody else changed of what was saved here. */
export function followed(
  link: LinkWholeFragment,
  { read, updatedAt }: Editing,
  all: readonly Saved[],
): Editing {
  const saved = openSaves(all, read).flatMap(({ names }) => names);
  const names = Object.keys(changedFields(fieldsOf(link), read)).filter((name) => saved.includes(name));
  return { ...editingOf(link), ...(names.length > 0 && { merged: { names, since: updatedAt } }) };
}

/** Whether somebody else changed what is changed in the form, or perhaps a password that is typed here, too. */
export function isConflict(link: LinkWholeFragment, { fields, read }: Editing): boolean {
  const names = fieldsInConflict(fieldsOf(link), fields, read);
  return names.length > 0 || fields.password !== '' || fields.privacyPassword !== '';
}

/** The fields that somebody changed. How visitors are told apart, and their destinations, are one thing. */
export function changedFields(fields: LinkFields, read: LinkFields): Partial<LinkFields> {
  const names = Object.keys(fields) as (keyof LinkFields)[]; // The type says so.
  const differs = (name: keyof LinkFields) => JSON.stringify(fields[name]) !== JSON.stringify(read[name]);
  const isTarget = (name: keyof LinkFields) => name === 'targetType' || name === 'targets';
  const targets = hasChangedTargets(fields, read);
  return Object.fromEntries(
    names.filter((name) => (isTarget(name) ? targets : differs(name))).map((name) => [name, fields[name]]),
  );
}

import type { LinkWholeFragment } from '../generated/documents.ts';
import { fieldsOf, hasChangedTargets, type LinkFields } from './link-fields.ts';

/** What somebody edits, and what they saw of the link when they began. */
export interface Editing {
  readonly fields: LinkFields;
  readonly read: LinkFields;
  readonly updatedAt: string;
  /** What others changed meanwhile, which the form has taken over, as it was before, and since when. */
  readonly merged?: { readonly was: Partial<LinkFields>; readonly since: string } | undefined;
  /** Whether a password was typed, which no draft has. */
  readonly lostPassword?: boolean;
}

/** What was saved of a link: its fields before and after, and when. */
export interface Saved {
  readonly before: LinkFields;
  readonly after: LinkFields;
  readonly at: string;
}

/** A save with the names of its fields that can be taken back, and of those that somebody else changed since. */
interface OpenSave extends Saved {
  readonly names: readonly string[];
  readonly lost: readonly string[];
}

/** The saves, newest first, each field with the newest save of it that was not taken back. */
export function openSaves(all: readonly Saved[], now: LinkFields): OpenSave[] {
  const newer = new Set<string>();
  return all.toReversed().map((saved) => {
    const later = changedFields(now, saved.after);
    const own = Object.keys(changedFields(saved.after, saved.before)).filter((name) => !newer.has(name));
    const names = own.filter((name) => !(name in later));
    // What is as it was before one of the saves was taken back.
    const lost = own.filter(
      (name) => name in later && all.every(({ before }) => name in changedFields(now, before)),
    );
    for (const name of [...names, ...lost]) newer.add(name);
    return { ...saved, names, lost };
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

/** What others changed, with these fields. */
function mergedIn({ read, updatedAt, merged }: Editing, names: readonly string[]): Editing['merged'] {
  if (names.length === 0) return merged;
  const was = Object.fromEntries(Object.entries(read).filter(([name]) => names.includes(name)));
  return { was: { ...was, ...merged?.was }, since: merged?.since ?? updatedAt };
}

/** What others changed, without fields that were saved here since. */
export function mergedBut(merged: Editing['merged'], own: object): Editing['merged'] {
  const was = Object.entries(merged?.was ?? {}).filter(([name]) => !(name in own));
  return merged && was.length > 0 ? { ...merged, was: Object.fromEntries(was) } : undefined;
}

/** The form with what somebody else changed, where that is no conflict. */
export function mergedWith(link: LinkWholeFragment, editing: Editing): Editing {
  const { fields, read } = editing;
  const names = changedByOthers(fieldsOf(link), fields, read);
  return { ...editingOn(link, fields, read), merged: mergedIn(editing, names) };
}

/** The form of a link in which nothing is typed, with what somebody else changed of what was saved here. */
export function followed(link: LinkWholeFragment, editing: Editing, all: readonly Saved[]): Editing {
  const { read } = editing;
  const saved = openSaves(all, read).flatMap(({ names }) => names);
  const names = Object.keys(changedFields(fieldsOf(link), read)).filter((name) => saved.includes(name));
  return { ...editingOf(link), merged: mergedIn(editing, names) };
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

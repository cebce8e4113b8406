import { useEffect, useState } from 'react';
import type { LinkWholeFragment } from '../generated/documents.ts';
import { draftName, dropDraft, keepDraft, type Own, readDraft } from './drafts.ts';
import {
  draftOf,
  type FieldErrors,
  fieldsOf,
  fieldsOfDraft,
  hasChangedTargets,
  hasChanges,
  type LinkFields,
} from './link-fields.ts';
import { errorsAfter } from './refusals.ts';

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

/** What was saved since the page was loaded, by the names of drafts. */
const saves = new Map<string, readonly Saved[]>();

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

export interface EditState extends Editing {
  readonly isChanged: boolean;
  /** Whether it was kept in this browser before. */
  readonly wasKept: boolean;
  readonly errors: FieldErrors;
  setErrors(errors: FieldErrors): void;
  change(patch: Partial<LinkFields>): void;
  /** What was saved here, oldest first. */
  readonly saves: readonly Saved[];
  /** Begins anew with the link as these changes made it. */
  saved(link: LinkWholeFragment, mine: Editing): void;
  /** Begins anew with the link as it is, but keeps what was changed since then. */
  restart(link: LinkWholeFragment, since?: LinkFields): void;
}

function editingOf(link: LinkWholeFragment): Editing {
  const fields = fieldsOf(link);
  return { fields, read: fields, updatedAt: link.updatedAt };
}

/** The link as it is, with what was changed in the form since it had these fields. */
export function editingOn(link: LinkWholeFragment, fields: LinkFields, since: LinkFields): Editing {
  const theirs = editingOf(link);
  return { ...theirs, fields: { ...theirs.fields, ...changedFields(fields, since) } };
}

function keptOf(name: string): Editing | null {
  const kept = readDraft(name);
  if (typeof kept !== 'object' || kept === null) return null;
  const { fields, read, updatedAt, lostPassword } = kept as Partial<Record<keyof Editing, unknown>>; // Each is checked.
  const [mine, seen] = [fieldsOfDraft(fields), fieldsOfDraft(read)];
  if (!mine || !seen || typeof updatedAt !== 'string') return null;
  return { fields: mine, read: seen, updatedAt, lostPassword: lostPassword === true };
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
function mergedWith(link: LinkWholeFragment, { fields, read, updatedAt, merged }: Editing): Editing {
  const names = changedByOthers(fieldsOf(link), fields, read);
  const all = [...new Set([...(merged?.names ?? []), ...names])];
  return {
    ...editingOn(link, fields, read),
    ...(all.length > 0 && { merged: { names: all, since: merged?.since ?? updatedAt } }),
  };
}

/** Whether somebody else changed what is changed in the form, or perhaps a password that is typed here, too. */
export function isConflict(link: LinkWholeFragment, { fields, read }: Editing): boolean {
  const names = fieldsInConflict(fieldsOf(link), fields, read);
  return names.length > 0 || fields.password !== '' || fields.privacyPassword !== '';
}

/** The state of the form of a link; what was typed survives a reload. */
export function useEditState(link: LinkWholeFragment, own: Own): EditState {
  const name = draftName(own, link.id);
  const [kept] = useState(() => keptOf(name));
  const [editing, setEditing] = useState<Editing>(kept ?? editingOf(link));
  const [errors, setErrors] = useState<FieldErrors>({});
  const isChanged = hasChanges(editing.fields, editing.read);
  if (editing.updatedAt < link.updatedAt) {
    // While nothing is typed, the form follows the link.
    if (!isChanged) setEditing(editingOf(link));
    else if (!isConflict(link, editing)) setEditing(mergedWith(link, editing));
  }
  useEffect(() => {
    const { fields, lostPassword = false } = editing;
    const hasPassword = fields.password !== '' || fields.privacyPassword !== '';
    const draft = { ...editing, fields: draftOf(fields), lostPassword: lostPassword || hasPassword };
    if (isChanged) keepDraft(name, draft);
    else dropDraft(name);
  }, [name, editing, isChanged]);
  const restart: EditState['restart'] = (fresh, since) => {
    setEditing(({ fields, merged }) => ({
      ...editingOn(fresh, fields, since ?? fields),
      merged: since && merged,
    }));
    setErrors({});
  };
  return {
    ...editing,
    isChanged,
    restart,
    saves: saves.get(name) ?? [],
    saved(link, mine) {
      const saved = { before: mine.read, after: fieldsOf(link), at: link.updatedAt };
      saves.set(name, [...(saves.get(name) ?? []), saved]);
      restart(link, mine.fields);
    },
    wasKept: kept !== null,
    errors,
    setErrors,
    change(patch) {
      setEditing((before) => ({
        ...before,
        fields: { ...before.fields, ...patch },
        // What is begun anew began with their changes.
        merged: hasChanges(before.fields, before.read) ? before.merged : undefined,
      }));
      setErrors((before) => errorsAfter(before, patch));
    },
  };
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

import type { LinkWholeFragment } from '../generated/documents.ts';
import { hasChangedTargets, type LinkFields, toLinkFields } from './link-fields.ts';

/** The fields that somebody edits, and the link as they saw it when they began. */
export interface Editing {
  readonly fields: LinkFields;
  readonly read: LinkFields;
  readonly updatedAt: string;
  /** True if a password was typed, which no draft has. */
  readonly lostPassword?: boolean;
}

export function beginEditing(link: LinkWholeFragment): Editing {
  const fields = toLinkFields(link);
  return { fields, read: fields, updatedAt: link.updatedAt };
}

/** The link as it is, with what was changed in the form since it had these fields. */
export function editingOn(link: LinkWholeFragment, fields: LinkFields, since: LinkFields): Editing {
  const theirs = beginEditing(link);
  return { ...theirs, fields: { ...theirs.fields, ...changedFields(fields, since) } };
}

/** Returns the fields that both changed, unless to equal values. */
export function fieldsInConflict(theirs: LinkFields, mine: LinkFields, read: LinkFields): string[] {
  const [own, differing] = [changedFields(mine, read), changedFields(mine, theirs)];
  return Object.keys(changedFields(theirs, read)).filter((name) => name in own && name in differing);
}

/** True if somebody else changed a field that is changed in the form, or perhaps a password that is typed here, too. */
export function isConflict(link: LinkWholeFragment, { fields, read }: Editing): boolean {
  const names = fieldsInConflict(toLinkFields(link), fields, read);
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

import { useState } from 'react';
import type { LinkWholeFragment } from '../generated/documents.ts';
import { draftName, dropDraft, keepDraft, readDraft } from './drafts.ts';
import {
  changesOf,
  draftOf,
  type FieldErrors,
  fieldsOf,
  fieldsOfDraft,
  type LinkFields,
} from './link-fields.ts';

/** What somebody edits, and what they saw of the link when they began. */
interface Editing {
  readonly fields: LinkFields;
  readonly read: LinkFields;
  readonly updatedAt: string;
}

export interface EditState extends Editing {
  readonly isChanged: boolean;
  /** Whether it was kept in this browser before. */
  readonly wasKept: boolean;
  readonly errors: FieldErrors;
  setErrors(errors: FieldErrors): void;
  change(patch: Partial<LinkFields>): void;
  /** Begins anew with the link as it is; `mine` are changes to keep. */
  restart(link: LinkWholeFragment, mine?: Partial<LinkFields>): void;
}

function editingOf(link: LinkWholeFragment): Editing {
  const fields = fieldsOf(link);
  return { fields, read: fields, updatedAt: link.updatedAt };
}

function keptOf(name: string): Editing | null {
  const kept = readDraft(name);
  if (typeof kept !== 'object' || kept === null) return null;
  const { fields, read, updatedAt } = kept as Partial<Record<keyof Editing, unknown>>; // Each is checked.
  const [mine, seen] = [fieldsOfDraft(fields), fieldsOfDraft(read)];
  return mine && seen && typeof updatedAt === 'string' ? { fields: mine, read: seen, updatedAt } : null;
}

const hasChanges = ({ fields, read }: Editing): boolean => Object.keys(changesOf(fields, read)).length > 0;

/** The state of the form of a link; what was typed survives a reload. */
export function useEditState(link: LinkWholeFragment, accountId: string): EditState {
  const name = draftName(accountId, link.id);
  const [kept] = useState(() => keptOf(name));
  const [editing, setEditing] = useState<Editing>(kept ?? editingOf(link));
  const [errors, setErrors] = useState<FieldErrors>({});
  // While nothing is typed, the form follows the link.
  if (editing.updatedAt !== link.updatedAt && !hasChanges(editing)) setEditing(editingOf(link));
  const put = (next: Editing) => {
    setEditing(next);
    if (hasChanges(next)) keepDraft(name, { ...next, fields: draftOf(next.fields) });
    else dropDraft(name);
  };
  return {
    ...editing,
    isChanged: hasChanges(editing),
    wasKept: kept !== null,
    errors,
    setErrors,
    change(patch) {
      setErrors({});
      put({ ...editing, fields: { ...editing.fields, ...patch } });
    },
    restart(fresh, mine = {}) {
      const next = editingOf(fresh);
      setErrors({});
      put({ ...next, fields: { ...next.fields, ...mine } });
    },
  };
}

/** The fields that somebody changed. */
export function changedFields(fields: LinkFields, read: LinkFields): Partial<LinkFields> {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(read[name as keyof LinkFields]),
    ),
  );
}

import { useEffect, useRef, useState } from 'react';
import type { LinkWholeFragment } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { attempt } from './actions.ts';
import { lately } from './deeds.ts';
import { forgetDiscarded, offerBack, useTakenBack } from './discarded.ts';
import { draftName, dropDraft, keepDraft, readDraft } from './drafts.ts';
import { beginEditing, changedFields, type Editing, editingOn, isConflict } from './edit-state.ts';
import { type FieldErrors, hasChanges, type LinkFields, toLinkFields } from './link-fields.ts';
import { loggedName, type Theirs, useMeanwhile } from './meanwhile.ts';
import { madeFor } from './named.ts';
import { errorsAfter } from './refusals.ts';
import { revert, whyRefused } from './reverting.ts';
import type { Session } from './session.ts';
import { aboutRecord, showToast } from './toasts.ts';
import { fieldsWith, typedFields } from './typed.ts';

/** Tells to which values fields went back, and from which. The fields have their names in the log. */
export type Told = (again: LinkFields, until: LinkFields, fields: readonly string[]) => string;

/** Takes a save back, unless one of its fields was changed since, and tells what is as before. Returns the link. */
async function undoSave(
  session: Session,
  link: LinkWholeFragment,
  changeId: string,
  told: Told,
): Promise<LinkWholeFragment | null> {
  const about = aboutRecord('LINK', link.id);
  const result = await revert(session, changeId);
  if (result.__typename === 'RevertedChange' && result.record && 'alias' in result.record) {
    const [now, again] = [toLinkFields(link), toLinkFields(result.record)];
    const { fields } = result.change;
    showToast(texts.link.undone(told(again, now, fields), madeFor(now, again).join(', ')), { about });
    return result.record;
  }
  const isLate = result.__typename === 'ConflictError';
  const why = isLate ? texts.link.undoTooLate : await whyRefused(session, changeId, result);
  showToast(why, { wrong: true, about });
  return null;
}

export interface EditState extends Editing {
  /** Changes of others to fields that the form does not change. */
  readonly theirs: Theirs | null;
  readonly isChanged: boolean;
  /** True if it was kept in this browser before. */
  readonly wasKept: boolean;
  readonly errors: FieldErrors;
  setErrors(errors: FieldErrors): void;
  change(patch: Partial<LinkFields>): void;
  /** Begins anew with the link as these changes made it. */
  saved(link: LinkWholeFragment, mine: Editing, changeIds: readonly string[]): void;
  /** Takes back a save. */
  undo(changeId: string, told: Told): void;
  /** Closes the note about changes of others. */
  closeTheirs(): void;
  /** Begins anew with the link as it is, and offers to restore the edits. */
  discard(link: LinkWholeFragment, open: () => unknown): void;
  /** Begins anew with the link as it is, but keeps edits since then. */
  restart(link: LinkWholeFragment, since?: LinkFields): void;
}

/** Reads the draft of a link, with the changes of others since then. */
function readKept(name: string, link: LinkWholeFragment): Editing | null {
  const { typed, signs, updatedAt, lostPassword } = Object(readDraft(name));
  const all = fieldsWith({ typed: Object(typed), signs: Object(signs) }, toLinkFields(link));
  if (!all || typeof updatedAt !== 'string') return null;
  return { ...all, updatedAt, lostPassword: lostPassword === true };
}

/** The draft of a form, without passwords. */
function draftIn({ fields, read, updatedAt, lostPassword = false }: Editing): object {
  const hasPassword = fields.password !== '' || fields.privacyPassword !== '';
  return { ...typedFields(fields, read), updatedAt, lostPassword: lostPassword || hasPassword };
}

/** The state of the form of a link; edits survive a reload. */
export function useEditState(link: LinkWholeFragment, session: Session): EditState {
  const name = draftName(session, link.id);
  const [kept] = useState(() => readKept(name, link));
  const [editing, setEditing] = useState<Editing>(kept ?? beginEditing(link));
  const [errors, setErrors] = useState<FieldErrors>({});
  const latest = useRef(link);
  // After Undo, the page has an older link until it reads again.
  if (latest.current.id !== link.id || latest.current.updatedAt < link.updatedAt) latest.current = link;
  const isChanged = hasChanges(editing.fields, editing.read);
  const { theirs, close } = useMeanwhile(link, session);
  const edited = Object.keys(changedFields(editing.fields, editing.read)).map(loggedName);
  const values = theirs?.values.filter((value) => !edited.includes(value.name)) ?? [];
  if (editing.updatedAt < link.updatedAt) {
    // While nothing is typed, the form follows the link.
    if (!isChanged) setEditing(beginEditing(link));
    else if (!isConflict(link, editing)) setEditing(editingOn(link, editing.fields, editing.read));
  }
  useEffect(() => {
    if (isChanged) keepDraft(name, draftIn(editing));
    else dropDraft(name);
  }, [name, editing, isChanged]);
  const change: EditState['change'] = (patch) => {
    setEditing((before) => ({ ...before, fields: { ...before.fields, ...patch } }));
    setErrors((before) => errorsAfter(before, patch));
  };
  useTakenBack(name, change);
  const restart: EditState['restart'] = (fresh, since) => {
    setEditing(({ fields }) => editingOn(fresh, fields, since ?? fields));
    setErrors({});
  };
  return {
    ...editing,
    isChanged,
    restart,
    theirs: values.length > 0 && theirs ? { ...theirs, values } : null,
    saved(link, mine, changeIds) {
      if (changeIds.length > 0) lately.add(session, { changeIds, linkId: link.id });
      forgetDiscarded(name);
      setEditing(({ fields }) => editingOn(link, fields, mine.fields));
      setErrors({});
    },
    undo(changeId, told) {
      void attempt(aboutRecord('LINK', link.id), async () => {
        const undone = await undoSave(session, latest.current, changeId, told);
        if (!undone) return;
        latest.current = undone;
        // This is no conflict, even if a password is typed.
        setEditing(({ fields, read }) => editingOn(undone, fields, read));
      });
    },
    closeTheirs: close,
    wasKept: kept !== null,
    errors,
    setErrors,
    change,
    discard(fresh, open) {
      const typed = changedFields(editing.fields, editing.read);
      const keep = () => keepDraft(name, draftIn(editing));
      restart(fresh);
      offerBack({ name, typed, told: texts.link.discarded, keep, open });
    },
  };
}

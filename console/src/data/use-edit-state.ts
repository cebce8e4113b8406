import { useEffect, useRef, useState } from 'react';
import { type LinkWholeFragment, UpdateLinkDocument } from '../generated/documents.ts';
import { texts } from '../texts.ts';
import { attempt } from './actions.ts';
import { announce } from './bus.ts';
import { forgetDiscarded, offerBack, useTakenBack } from './discarded.ts';
import { draftName, dropDraft, keepDraft, readDraft } from './drafts.ts';
import {
  beginEditing,
  changedFields,
  type Editing,
  editingOn,
  isConflict,
  type Saved,
} from './edit-state.ts';
import {
  changedInput,
  type FieldErrors,
  hasChanges,
  type LinkFields,
  toDraft,
  toLinkFields,
} from './link-fields.ts';
import { type LinkMemory, useLinkMemory } from './memory.ts';
import { madeFor } from './named.ts';
import { errorsAfter, linkErrors, refusalText } from './refusals.ts';
import type { Session } from './session.ts';
import { aboutRecord, showToast } from './toasts.ts';
import { fieldsWith, typedFields } from './typed.ts';
import { write } from './write.ts';

/** Tells to which values fields went back, and from which. */
export type Told = (again: LinkFields, until: LinkFields) => string;

/** Restores the former values of saved fields that nobody has changed since. Returns the link. */
async function undoSave(
  session: Session,
  link: LinkWholeFragment,
  saved: Saved,
  names: readonly string[],
  told: Told,
): Promise<Record<'was' | 'is', LinkWholeFragment> | null> {
  const about = aboutRecord('LINK', link.id);
  const now = toLinkFields(link);
  const later = changedFields(now, saved.after);
  const was = Object.entries(saved.before).filter(([name]) => names.includes(name) && !(name in later));
  // Targets get their former URLs, whatever the parameters of the link's URL.
  const input = changedInput({ ...now, ...Object.fromEntries(was), utmOnTargets: false }, now);
  if (was.length > 0) {
    const { updateLink: result } = await write(session, UpdateLinkDocument, {
      ...{ id: link.id, input, ifUpdatedAt: link.updatedAt },
    });
    if (result.__typename === 'Link') {
      announce([{ kind: 'LINK', recordId: link.id, action: 'UPDATED' }]);
      const again = toLinkFields(result);
      showToast(texts.link.undone(told(again, now), madeFor(now, again).join(', ')), { about });
      return { was: link, is: result };
    }
    if (result.__typename !== 'ConflictError') {
      // A deleted tag, for example, cannot come back, but the rest can.
      const { errors } = linkErrors(result, now);
      const rest = was.map(([name]) => name).filter((name) => !(name in errors));
      if (rest.length > 0 && rest.length < was.length) return undoSave(session, link, saved, rest, told);
      showToast(refusalText(result), { wrong: true, about });
      return null;
    }
    if ('alias' in result.current) return undoSave(session, result.current, saved, names, told);
  }
  showToast(texts.link.undoTooLate, { wrong: true, about });
  return null;
}

export interface EditState extends Editing, Pick<LinkMemory, 'saves' | 'theirs'> {
  readonly isChanged: boolean;
  /** True if it was kept in this browser before. */
  readonly wasKept: boolean;
  readonly errors: FieldErrors;
  setErrors(errors: FieldErrors): void;
  change(patch: Partial<LinkFields>): void;
  /** Begins anew with the link as these changes made it. */
  saved(link: LinkWholeFragment, mine: Editing): Saved;
  /** Takes back a save, all its fields or some of them. */
  undo(saved: Saved, told: Told, names?: readonly string[]): void;
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
  latest.current = link;
  const isChanged = hasChanges(editing.fields, editing.read);
  const { saves, theirs, learn } = useLinkMemory(link, session);
  const edited = changedFields(editing.fields, editing.read);
  const names = theirs?.names.filter((field) => !(field in edited)) ?? [];
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
    saves,
    theirs: names.length > 0 && theirs ? { ...theirs, names } : null,
    saved(link, mine) {
      const saved = { before: toDraft(mine.read), after: toLinkFields(link), at: link.updatedAt };
      learn(link, changedFields(saved.after, saved.before), saved);
      forgetDiscarded(name);
      setEditing(({ fields }) => editingOn(link, fields, mine.fields));
      setErrors({});
      return saved;
    },
    undo(saved, told, names = Object.keys(changedFields(saved.after, saved.before))) {
      void attempt(aboutRecord('LINK', link.id), async () => {
        const undone = await undoSave(session, latest.current, saved, names, told);
        if (!undone) return;
        const [before, after] = [toDraft(toLinkFields(undone.was)), toLinkFields(undone.is)];
        learn(undone.is, changedFields(after, before), {
          before,
          after,
          at: undone.is.updatedAt,
          isPast: true,
        });
        // This is no conflict, even if a password is typed.
        setEditing(({ fields, read }) => editingOn(undone.is, fields, read));
      });
    },
    closeTheirs: () => learn(link, toLinkFields(link)),
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

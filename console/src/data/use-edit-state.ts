import { useEffect, useRef, useState } from 'react';
import { type LinkWholeFragment, UpdateLinkDocument } from '../generated/documents.ts';
import { aboutRecord, showToast } from '../parts/toasts.tsx';
import { texts } from '../texts.ts';
import { attempt } from './actions.ts';
import { announce } from './bus.ts';
import { draftName, dropDraft, keepDraft, readDraft } from './drafts.ts';
import {
  changedFields,
  type Editing,
  editingOf,
  editingOn,
  followed,
  isConflict,
  mergedBut,
  mergedWith,
  type Saved,
} from './edit-state.ts';
import {
  changesOf,
  draftOf,
  type FieldErrors,
  fieldsOf,
  fieldsOfDraft,
  hasChanges,
  type LinkFields,
} from './link-fields.ts';
import { madeFor } from './named.ts';
import { errorsAfter, refusalText } from './refusals.ts';
import type { Session } from './session.ts';
import { write } from './write.ts';

const ANY_TIME = 'any';

/** What was saved in this tab, by the names of drafts. */
const saves = new Map<string, readonly Saved[]>();
/** How many saves of a link are kept. */
const MOST = 5;

function savedIn(kept: Partial<Record<keyof Saved, unknown>> | null): Saved[] {
  const [before, after] = [fieldsOfDraft(kept?.before), fieldsOfDraft(kept?.after)];
  return before && after && typeof kept?.at === 'string' ? [{ before, after, at: kept.at }] : [];
}

/** What was saved of a link, also before the page was loaded. */
function savesOf(name: string): readonly Saved[] {
  const known = saves.get(name);
  if (known) return known;
  const kept = readDraft(name, sessionStorage);
  const read = Array.isArray(kept) ? kept.flatMap(savedIn) : [];
  saves.set(name, read);
  return read;
}

/** Gives fields that were saved their values from before, where nobody has changed them since. Returns the link. */
async function undoSave(
  session: Session,
  link: LinkWholeFragment,
  saved: Saved,
  names: readonly string[],
): Promise<LinkWholeFragment | null> {
  const about = aboutRecord('LINK', link.id);
  const now = fieldsOf(link);
  const later = changedFields(now, saved.after);
  const was = Object.entries(saved.before).filter(([name]) => names.includes(name) && !(name in later));
  // Targets are as they were, whatever the parameters of the URL.
  const input = changesOf({ ...now, ...Object.fromEntries(was), utmOnTargets: false }, now);
  if (was.length > 0) {
    const { updateLink: result } = await write(session, UpdateLinkDocument, {
      ...{ id: link.id, input, ifUpdatedAt: link.updatedAt },
    });
    if (result.__typename === 'Link') {
      announce([{ kind: 'LINK', recordId: link.id, action: 'UPDATED' }]);
      const stays = madeFor(now, fieldsOf(result));
      showToast(stays.length > 0 ? texts.link.undoneBut(stays) : texts.undone, { about });
      return result;
    }
    if (result.__typename !== 'ConflictError') {
      showToast(refusalText(result), { wrong: true, about });
      return null;
    }
    if ('alias' in result.current) return undoSave(session, result.current, saved, names);
  }
  showToast(texts.link.undoTooLate, { wrong: true, about });
  return null;
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
  saved(link: LinkWholeFragment, mine: Editing): Saved;
  /** Takes back what was saved, of all its fields or some of them. */
  undo(saved: Saved, names?: readonly string[]): void;
  /** Tells no longer what others changed. */
  closeMerged(): void;
  /** Begins anew with the link as it is, but keeps what was changed since then. */
  restart(link: LinkWholeFragment, since?: LinkFields): void;
}

function keptOf(name: string): Editing | null {
  const kept = readDraft(name);
  if (typeof kept !== 'object' || kept === null) return null;
  const { fields, read, updatedAt, lostPassword } = kept as Partial<Record<keyof Editing, unknown>>; // Each is checked.
  const [mine, seen] = [fieldsOfDraft(fields), fieldsOfDraft(read)];
  if (!mine || !seen || typeof updatedAt !== 'string') return null;
  return { fields: mine, read: seen, updatedAt, lostPassword: lostPassword === true };
}

/** The state of the form of a link; what was typed survives a reload. */
export function useEditState(link: LinkWholeFragment, session: Session): EditState {
  const name = draftName(session, link.id);
  const [kept] = useState(() => keptOf(name));
  const [editing, setEditing] = useState<Editing>(kept ?? editingOf(link));
  const [errors, setErrors] = useState<FieldErrors>({});
  const latest = useRef(link);
  latest.current = link;
  /** When the link changed by an undo here, which is nobody else's change; while that is sent, it is any time. */
  const undoneAt = useRef<string | undefined>(undefined);
  const isChanged = hasChanges(editing.fields, editing.read);
  if (editing.updatedAt < link.updatedAt) {
    if (undoneAt.current === ANY_TIME || undoneAt.current === link.updatedAt)
      setEditing(editingOn(link, editing.fields, editing.read));
    // While nothing is typed, the form follows the link, and says what somebody else made of what was saved here.
    else if (!isChanged) setEditing(followed(link, editing, savesOf(name)));
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
    saves: savesOf(name),
    saved(link, mine) {
      const saved = { before: draftOf(mine.read), after: fieldsOf(link), at: link.updatedAt };
      const all = [...savesOf(name), saved].slice(-MOST);
      saves.set(name, all);
      keepDraft(name, all, sessionStorage);
      setEditing(({ fields, merged }) => ({
        ...editingOn(link, fields, mine.fields),
        merged: mergedBut(merged, changedFields(saved.after, saved.before)),
      }));
      setErrors({});
      return saved;
    },
    undo(saved, names = Object.keys(changedFields(saved.after, saved.before))) {
      undoneAt.current = ANY_TIME;
      void attempt(aboutRecord('LINK', link.id), async () => {
        const undone = await undoSave(session, latest.current, saved, names).finally(() => {
          undoneAt.current = undefined;
        });
        undoneAt.current = undone?.updatedAt;
      });
    },
    closeMerged: () => setEditing((before) => ({ ...before, merged: undefined })),
    wasKept: kept !== null,
    errors,
    setErrors,
    change(patch) {
      setEditing((before) => ({ ...before, fields: { ...before.fields, ...patch } }));
      setErrors((before) => errorsAfter(before, patch));
    },
  };
}

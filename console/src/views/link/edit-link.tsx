import { type FocusEvent, type FormEvent, type ReactElement, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { focusSoon, showWrong } from '../../app/focus.ts';
import { Button } from '../../controls/button.tsx';
import { showFault, UNDO_FOR, undo } from '../../data/actions.ts';
import { announce } from '../../data/bus.ts';
import { changedFields, type Editing, editingOn, isConflict } from '../../data/edit-state.ts';
import { changedInput, type FieldErrors, toLinkFields } from '../../data/link-fields.ts';
import { loggedName } from '../../data/meanwhile.ts';
import { hasTyped, namedAreThere, typedIn } from '../../data/named.ts';
import { errorsBesides, linkErrors, refusalText, unsendable } from '../../data/refusals.ts';
import { useSession } from '../../data/session.ts';
import { aboutRecord, dismissAbout, dismissToast, showToast } from '../../data/toasts.ts';
import type { EditState } from '../../data/use-edit-state.ts';
import { writeLogged } from '../../data/write.ts';
import { type LinkWholeFragment, UpdateLinkDocument } from '../../generated/documents.ts';
import { UrlField } from '../../parts/field.tsx';
import { texts } from '../../texts.ts';
import { withoutScheme } from '../../words/format.ts';
import { LinkForm } from '../link-form/link-form.tsx';
import { LinkPreview } from '../link-form/link-preview.tsx';
import { Conflict, Meanwhile } from './conflict.tsx';
import { Saves } from './saves.tsx';
import { againIn, shownNames, useShown } from './shown-fields.ts';

interface EditLinkProps {
  readonly link: LinkWholeFragment;
  readonly edit: EditState;
  again(): void;
}

/** All fields of a link, edited in place. */
export function EditLink({ link, edit, again }: EditLinkProps): ReactElement {
  const session = useSession();
  const [, navigate] = useLocation();
  const [isBusy, setBusy] = useState(false);
  const now = useRef<Editing>(edit);
  now.current = edit;
  const { fields, read, errors, change } = edit;
  // While a change is being saved, the newer link may be its result.
  const hasConflict = edit.isChanged && edit.updatedAt < link.updatedAt && !isBusy;
  const t = texts.link;
  const about = aboutRecord('LINK', link.id);
  const form = useRef<HTMLFormElement>(null);
  /** The message about the last save, its fields and its time. */
  const told = useRef<{ toast: number; names: readonly string[]; at: string }>({
    toast: 0,
    names: [],
    at: '',
  });
  /** The field that had the focus last. */
  const field = useRef<HTMLElement>(null);
  const onFocus = ({ target }: FocusEvent<HTMLElement>) => {
    if (target.closest('fieldset')) field.current = target;
  };
  /** Moves back to the last field, before the focused button disappears. */
  const goOn = () => {
    if (!document.activeElement?.closest('.save-bar, .conflict, .saves, .meanwhile')) return;
    const next = field.current?.isConnected ? field.current : form.current?.querySelector('input');
    next?.focus({ preventScroll: true });
  };
  const shown = useShown(link);
  const takeBack = (changeId: string) => {
    goOn();
    edit.undo(changeId, againIn(shown));
  };
  const takeTheirsBack = (changeIds: readonly string[]) => {
    goOn();
    void undo(session, changeIds, { about });
  };
  const refuse = (wrong: FieldErrors) => showWrong('.edit', () => edit.setErrors(wrong));
  // The log may not have the save yet: changes from before it overwrite nothing.
  const isOverwritten = edit.theirs?.changes.some(
    ({ at, fields: changed }) =>
      at > told.current.at && changed.some((name) => told.current.names.includes(name)),
  );
  // “Saved. Undo” may be incomplete by now; the list of saves beside the form has all that can still be undone.
  useEffect(() => {
    if (isOverwritten || hasConflict) dismissToast(told.current.toast);
  }, [isOverwritten, hasConflict]);
  // The list of saves in the details has all that can still be undone; other pages need no message.
  useEffect(() => () => dismissToast(told.current.toast), []);
  const lookAtConflict = () => focusSoon('.conflict .button');

  const save = async () => {
    if (isBusy) return;
    setBusy(true);
    dismissAbout(about);
    try {
      await namedAreThere();
      await send(now.current);
    } finally {
      setBusy(false);
    }
  };
  const send = async (mine: Editing): Promise<void> => {
    const unsent = unsendable(mine.fields, mine.read);
    if (Object.keys(unsent).length > 0 || hasTyped(mine.fields)) {
      const wrong = { ...(await errorsBesides(session.client, mine.fields, mine.read)), ...unsent };
      if (Object.keys(wrong).length > 0) return refuse(wrong);
    }
    try {
      if (hasTyped(mine.fields)) {
        const { patch, errors: wrong } = await typedIn(session, mine.fields);
        edit.change(patch);
        if (Object.keys(wrong).length > 0) return refuse(wrong);
        return await send({ ...mine, fields: { ...mine.fields, ...patch } });
      }
      const { data, changeIds } = await writeLogged(session, UpdateLinkDocument, {
        id: link.id,
        input: changedInput(mine.fields, mine.read),
        ifUpdatedAt: mine.updatedAt,
      });
      const { updateLink: result } = data;
      if (result.__typename === 'Link') {
        goOn();
        edit.saved(result, mine, changeIds);
        // A password cannot be restored.
        const hasSecret = mine.fields.password || mine.fields.removesPassword || mine.fields.privacyPassword;
        const changed = changedFields(toLinkFields(result), mine.read);
        const names = shownNames.filter((name) => name in changed);
        const named = new Set(names.map((name) => t.names[name]));
        const [changeId] = changeIds;
        const toast = showToast(t.savedOf(result.alias, [...named].join(', ')), {
          about,
          ...(!hasSecret &&
            changeId !== undefined && {
              shownFor: UNDO_FOR,
              action: { name: texts.undo, run: () => takeBack(changeId) },
            }),
        });
        told.current = { toast, names: names.map(loggedName), at: result.updatedAt };
        announce([{ kind: 'LINK', recordId: link.id, action: 'UPDATED' }]);
      } else if (result.__typename === 'ValidationError') {
        const { errors: wrong, besides } = linkErrors(result, mine.fields);
        if (besides !== null) showToast(besides, { wrong: true, about });
        if (Object.keys(wrong).length > 0) refuse(wrong);
      } else if (result.__typename === 'ConflictError' && 'alias' in result.current) {
        const { current } = result;
        if (!isConflict(current, mine)) return await send(editingOn(current, mine.fields, mine.read));
        // The answer has the link as it is now, which shows the conflict.
        lookAtConflict();
      } else {
        showToast(refusalText(result), { wrong: true, about });
        again();
      }
    } catch (error) {
      showFault(error, about);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (hasConflict) lookAtConflict();
    else void save();
  };
  const discard = () => {
    goOn();
    const path = `/console/${session.accountId}/links/${link.id}`;
    edit.discard(link, () => location.pathname !== path && navigate(`~${path}`));
  };
  const { url: urlError, ...rest } = errors;
  return (
    <form ref={form} className="edit stack" onSubmit={submit} onFocus={onFocus} noValidate>
      {!session.canWrite && <p className="notice">{t.readOnly}</p>}
      {edit.wasKept && edit.isChanged && (
        <p className="notice">{edit.lostPassword ? `${t.kept} ${t.keptPasswords}` : t.kept}</p>
      )}
      {hasConflict && (
        <Conflict
          mine={edit}
          theirs={link}
          shown={shown}
          onMine={() => {
            goOn();
            edit.restart(link, read);
          }}
          onTheirs={() => {
            discard();
            edit.closeTheirs();
          }}
        />
      )}
      {edit.theirs && !hasConflict && (
        <Meanwhile
          theirs={edit.theirs}
          onBack={takeTheirsBack}
          onClose={() => {
            goOn();
            edit.closeTheirs();
          }}
        />
      )}
      <div className="beside stack">
        <fieldset className="card" disabled={!session.canWrite}>
          <UrlField
            label={texts.form.url}
            value={fields.url}
            onText={(url) => change({ url })}
            error={urlError}
          />
          <LinkForm fields={fields} errors={rest} onChange={change} link={link} />
        </fieldset>
        <div className="aside stack">
          <LinkPreview
            fields={fields}
            host={withoutScheme(link.shortUrl).replace(/\/.*$/s, '')}
            link={link}
          />
          {session.canWrite && <Saves link={link} edit={edit} onBack={takeBack} />}
        </div>
      </div>
      {edit.isChanged && (
        <div className="save-bar line">
          <span id="save-note">{hasConflict ? t.decideFirst : t.unsaved}</span>
          <Button look="quiet" text={t.discard} onClick={discard} />
          <Button
            text={t.save}
            type="submit"
            aria-disabled={isBusy || hasConflict}
            aria-describedby="save-note"
          />
        </div>
      )}
    </form>
  );
}

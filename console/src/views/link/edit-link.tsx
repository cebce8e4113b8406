import { type FormEvent, type ReactElement, useState } from 'react';
import { showFault } from '../../data/actions.ts';
import { announce } from '../../data/bus.ts';
import { changedFields, type EditState } from '../../data/edit-state.ts';
import { changesOf } from '../../data/link-fields.ts';
import { errorsOf, refusalBesides, refusalText, unsendable } from '../../data/refusals.ts';
import { useSession } from '../../data/session.ts';
import { write } from '../../data/write.ts';
import { type LinkWholeFragment, UpdateLinkDocument } from '../../generated/documents.ts';
import { TextField } from '../../parts/field.tsx';
import { aboutRecord, dismissAbout, showToast } from '../../parts/toasts.tsx';
import { texts } from '../../texts.ts';
import { LinkForm } from '../link-form/link-form.tsx';
import { Conflict } from './conflict.tsx';

/** All fields of a link, edited in place. */
export function EditLink({
  link,
  edit,
  again,
}: {
  link: LinkWholeFragment;
  edit: EditState;
  again: () => void;
}): ReactElement {
  const session = useSession();
  const [conflict, setConflict] = useState<LinkWholeFragment | null>(null);
  const [isBusy, setBusy] = useState(false);
  const { fields, read, errors, change } = edit;
  const t = texts.link;
  const about = aboutRecord('LINK', link.id);

  const save = async (event?: FormEvent) => {
    event?.preventDefault();
    if (isBusy) return;
    const wrong = unsendable(fields);
    if (Object.keys(wrong).length > 0) return edit.setErrors(wrong);
    setBusy(true);
    dismissAbout(about);
    try {
      const { updateLink: result } = await write(session, UpdateLinkDocument, {
        id: link.id,
        input: changesOf(fields, read),
        ifUpdatedAt: edit.updatedAt,
      });
      if (result.__typename === 'Link') {
        edit.restart(result);
        setConflict(null);
        showToast(t.saved, { about });
        announce([{ kind: 'LINK', recordId: link.id, action: 'UPDATED' }]);
      } else if (result.__typename === 'ValidationError') {
        edit.setErrors(errorsOf(result));
        const message = refusalBesides(result);
        if (message !== null) showToast(message, { wrong: true, about });
      } else if (result.__typename === 'ConflictError' && 'alias' in result.current)
        setConflict(result.current);
      else {
        showToast(refusalText(result), { wrong: true, about });
        again();
      }
    } catch (error) {
      showFault(error, about);
    } finally {
      setBusy(false);
    }
  };
  const { url: urlError, ...rest } = errors;
  return (
    <form className="edit" onSubmit={save} noValidate>
      {edit.wasKept && edit.isChanged && <p className="notice">{t.kept}</p>}
      {conflict && (
        <Conflict
          read={read}
          mine={fields}
          theirs={conflict}
          onMine={() => {
            edit.restart(conflict, changedFields(fields, read));
            setConflict(null);
          }}
          onTheirs={() => {
            edit.restart(conflict);
            setConflict(null);
          }}
        />
      )}
      <fieldset className="plain" disabled={!session.canWrite}>
        <div className="card">
          <TextField
            label={texts.form.url}
            type="url"
            value={fields.url}
            onText={(url) => change({ url })}
            error={urlError}
          />
        </div>
        <div className="card">
          <LinkForm fields={fields} errors={rest} onChange={change} link={link} />
        </div>
      </fieldset>
      {edit.isChanged && (
        <div className="save-bar">
          <span>{t.unsaved}</span>
          <button type="button" className="button quiet" onClick={() => edit.restart(link)}>
            {t.discard}
          </button>
          <button type="submit" className="button" disabled={isBusy || conflict !== null}>
            {t.save}
          </button>
        </div>
      )}
    </form>
  );
}

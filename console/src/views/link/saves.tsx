import { Fragment, type ReactElement } from 'react';
import { undoSave } from '../../data/actions.ts';
import { changedFields, type EditState, openSaves } from '../../data/edit-state.ts';
import { changesOf, fieldsOf } from '../../data/link-fields.ts';
import { useSession } from '../../data/session.ts';
import type { LinkWholeFragment } from '../../generated/documents.ts';
import { atTime } from '../../parts/format.ts';
import { texts } from '../../texts.ts';
import { shownNames, useShown } from './shown-fields.ts';

/** What was saved here and what it was before, to take back, unless it is being edited again. */
export function Saves({
  link,
  edit: { fields, read, saves },
  onBack,
}: {
  link: LinkWholeFragment;
  edit: EditState;
  /** Called before the button is gone. */
  onBack: () => void;
}): ReactElement | null {
  const session = useSession();
  const shown = useShown(link);
  const now = fieldsOf(link);
  const edited = changedFields(fields, read);
  const t = texts.link;
  const lines = openSaves(saves, now).flatMap(({ before, at, names: open }) => {
    const names = shownNames.filter((name) => open.includes(name) && !(name in edited));
    if (names.length === 0) return [];
    const was = Object.fromEntries(names.map((name) => [name, before[name]]));
    // Targets are as they were, whatever the parameters of the URL.
    const input = changesOf({ ...now, ...was, utmOnTargets: false }, now);
    const takeBack = () => {
      onBack();
      void undoSave(session, link, input);
    };
    return (
      <li key={at}>
        <p>{t.savedAt(atTime(at))}</p>
        <dl>
          {names.map((name) => {
            const [was, is] = [shown(before, name), shown(now, name)];
            // Targets change with how visitors are told apart, which may be as before.
            return was === is ? null : (
              <Fragment key={name}>
                <dt>{t.names[name]}</dt>
                <dd>{was}</dd>
              </Fragment>
            );
          })}
        </dl>
        <button type="button" className="button text small" onClick={takeBack}>
          {t.takeBack}
        </button>
      </li>
    );
  });
  return lines.length === 0 ? null : <ul className="card saves">{lines}</ul>;
}

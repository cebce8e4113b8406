import { Fragment, type ReactElement } from 'react';
import { changedFields, openSaves } from '../../data/edit-state.ts';
import { fieldsOf } from '../../data/link-fields.ts';
import type { EditState } from '../../data/use-edit-state.ts';
import type { LinkWholeFragment } from '../../generated/documents.ts';
import { atTime } from '../../parts/format.ts';
import { texts } from '../../texts.ts';
import { shownNames, useShown } from './shown-fields.ts';

/** What was saved here and what it was before, to take back, unless it is being edited again. */
export function Saves({
  link,
  edit: { fields, read, saves, undo },
  onBack,
}: {
  link: LinkWholeFragment;
  edit: EditState;
  /** Called before the button is gone. */
  onBack: () => void;
}): ReactElement | null {
  const shown = useShown(link);
  const now = fieldsOf(link);
  const edited = changedFields(fields, read);
  const t = texts.link;
  const lines = openSaves(saves, now).flatMap((saved) => {
    const { before, at, names: open, lost } = saved;
    const names = shownNames.filter((name) => open.includes(name) && !(name in edited));
    const gone = new Set(shownNames.filter((name) => lost.includes(name)).map((name) => t.names[name]));
    if (names.length === 0 && gone.size === 0) return [];
    const takeBack = () => {
      onBack();
      undo(saved, names);
    };
    return (
      <li key={at}>
        {gone.size > 0 && <p>{t.overwritten(atTime(at), [...gone].join(', '))}</p>}
        {names.length > 0 && <p>{t.savedAt(atTime(at))}</p>}
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
        {names.length > 0 && (
          <button type="button" className="button text small" onClick={takeBack}>
            {texts.undo}
          </button>
        )}
      </li>
    );
  });
  return lines.length === 0 ? null : <ul className="card saves">{lines}</ul>;
}

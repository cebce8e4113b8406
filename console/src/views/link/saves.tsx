import { Fragment, type ReactElement } from 'react';
import { changedFields, openSaves, type Saved } from '../../data/edit-state.ts';
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
  /** What fields become again, and the button for that. */
  const back = (label: string, names: typeof shownNames, saved: Saved, mark = '') => (
    <>
      <dl>
        {names.map((name) => {
          const [was, is] = [shown(saved.before, name), shown(now, name)];
          // Targets change with how visitors are told apart, which may be as before.
          return was === is ? null : (
            <Fragment key={name}>
              <dt>{t.names[name]}</dt>
              <dd>{was}</dd>
            </Fragment>
          );
        })}
      </dl>
      <button
        type="button"
        className={`button text small ${mark}`}
        onClick={() => {
          onBack();
          undo(saved, names);
        }}
      >
        {label}
      </button>
    </>
  );
  const lines = openSaves(saves, now).flatMap((saved) => {
    const { after, at } = saved;
    const among = (all: readonly string[]) =>
      shownNames.filter((name) => all.includes(name) && !(name in edited));
    const [names, lost] = [among(saved.names), among(saved.lost)];
    if (names.length === 0 && lost.length === 0) return [];
    return (
      <li key={at}>
        {lost.length > 0 && (
          <>
            <p>{t.overwritten(atTime(at))}</p>
            {back(t.takeBack, lost, { before: after, after: now, at })}
          </>
        )}
        {names.length > 0 && (
          <>
            <p>{t.savedAt(atTime(at))}</p>
            {back(texts.undo, names, saved, 'undo')}
          </>
        )}
      </li>
    );
  });
  return lines.length === 0 ? null : <ul className="card saves">{lines}</ul>;
}

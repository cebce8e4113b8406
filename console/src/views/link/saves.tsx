import { Fragment, type ReactElement } from 'react';
import { changedFields, openSaves, type Saved } from '../../data/edit-state.ts';
import { toLinkFields } from '../../data/link-fields.ts';
import type { EditState } from '../../data/use-edit-state.ts';
import type { LinkWholeFragment } from '../../generated/documents.ts';
import { texts } from '../../texts.ts';
import { atNearMoment } from '../../words/format.ts';
import { differences, type Shown } from './shown-fields.ts';

/** Fields with their values before and after. */
export function Differences({ all }: { all: ReturnType<typeof differences> }): ReactElement {
  const quoted = (text: string) =>
    text === texts.link.nothing ? (
      text
    ) : (
      <q>
        <bdi>{text}</bdi>
      </q>
    );
  return (
    <ul>
      {all.map(({ name, was, is }) => (
        <li key={name}>
          {name}: {quoted(was)} → {quoted(is)}
        </li>
      ))}
    </ul>
  );
}

/** Fields that were saved here, with their values before, to take back unless they are being edited again. */
export function Saves({
  link,
  edit: { fields, read, saves },
  shown,
  onBack,
}: {
  link: LinkWholeFragment;
  edit: EditState;
  shown: Shown;
  onBack: (saved: Saved, names: readonly string[]) => void;
}): ReactElement | null {
  const now = toLinkFields(link);
  const edited = changedFields(fields, read);
  const open = openSaves(
    saves.filter(({ isPast }) => !isPast),
    now,
  )
    .map((saved) => ({ ...saved, names: saved.names.filter((name) => !(name in edited)) }))
    .map((saved) => ({ saved, changed: differences(shown, saved.before, now, saved.names) }))
    .filter(({ changed }) => changed.length > 0);
  if (open.length === 0) return null;
  return (
    <ul className="card saves">
      {open.map(({ saved, changed }) => (
        <li key={saved.at}>
          <p>{texts.link.savedOn(atNearMoment(saved.at))}</p>
          <dl>
            {changed.map(({ name, was }) => (
              <Fragment key={name}>
                <dt>{name}</dt>
                <dd>
                  <bdi>{was}</bdi>
                </dd>
              </Fragment>
            ))}
          </dl>
          <button type="button" className="button text small undo" onClick={() => onBack(saved, saved.names)}>
            {texts.undo}
          </button>
        </li>
      ))}
    </ul>
  );
}

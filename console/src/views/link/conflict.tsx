import type { ReactElement } from 'react';
import { useChangeOfLink } from '../../data/changes.ts';
import { changedFields, type Editing, fieldsInConflict } from '../../data/edit-state.ts';
import { fieldsOf } from '../../data/link-fields.ts';
import { useSession } from '../../data/session.ts';
import type { EditState } from '../../data/use-edit-state.ts';
import type { LinkWholeFragment } from '../../generated/documents.ts';
import { byWhom } from '../../parts/changes.tsx';
import { Icon } from '../../parts/icon.tsx';
import { texts } from '../../texts.ts';
import { shownNames, useShown } from './shown-fields.ts';

/** Who changed what meanwhile, where that is no conflict, to take it back. */
export function Meanwhile({
  link,
  merged: { was, since },
  edit: { undo, closeMerged },
  onGone,
}: {
  link: LinkWholeFragment;
  merged: NonNullable<Editing['merged']>;
  edit: EditState;
  /** Called before the buttons are gone. */
  onGone: () => void;
}): ReactElement | null {
  const session = useSession();
  const change = useChangeOfLink(link.id, since);
  const shown = useShown(link);
  const after = fieldsOf(link);
  const before = { ...after, ...was };
  const changed = shownNames.filter((name) => name in changedFields(after, before));
  const t = texts.link;
  const quoted = (text: string) => (text === t.nothing ? text : <q>{text}</q>);
  if (changed.length === 0) return null;
  return (
    <div className="notice meanwhile" role="status">
      <div>
        {t.meanwhile(change ? byWhom(change, session) : '')}
        <ul>
          {changed.map((name) => {
            const [old, now] = [shown(before, name), shown(after, name)];
            // Targets change with how visitors are told apart, which may be as before.
            return old === now ? null : (
              <li key={name}>
                {t.names[name]}: {quoted(old)} → {quoted(now)}
              </li>
            );
          })}
        </ul>
      </div>
      <button
        type="button"
        className="button quiet small"
        onClick={() => {
          onGone();
          undo({ before, after, at: link.updatedAt }, changed);
        }}
      >
        {t.takeBack}
      </button>
      <button
        type="button"
        className="bare"
        aria-label={texts.close}
        onClick={() => {
          onGone();
          closeMerged();
        }}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

/** What somebody else changed meanwhile, and both ways on. */
export function Conflict({
  mine: { fields: mine, read, updatedAt },
  theirs: link,
  onMine,
  onTheirs,
}: {
  mine: Editing;
  theirs: LinkWholeFragment;
  onMine: () => void;
  onTheirs: () => void;
}): ReactElement {
  const session = useSession();
  const change = useChangeOfLink(link.id, updatedAt);
  const shown = useShown(link);
  const theirs = fieldsOf(link);
  const own = changedFields(mine, read);
  const inConflict = fieldsInConflict(theirs, mine, read);
  const rows = shownNames.filter((name) => inConflict.includes(name));
  const t = texts.link;
  return (
    <section className="card conflict" role="alert" aria-label={t.conflict}>
      <h2>{change ? t.conflictBy(byWhom(change, session)) : t.conflict}</h2>
      <p>{rows.length > 0 ? t.conflictWhy : t.conflictUnshown}</p>
      {rows.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{t.field}</th>
              <th scope="col">{change?.by?.name || t.theirs}</th>
              <th scope="col">{t.yours}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((name) => (
              <tr key={name}>
                <th scope="row">{t.names[name]}</th>
                <td>{shown(theirs, name)}</td>
                <td>{name in own ? shown(mine, name) : t.unchanged}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="buttons">
        <button type="button" className="button" onClick={onMine}>
          {t.keepMine}
        </button>
        <button type="button" className="button quiet" onClick={onTheirs}>
          {t.takeTheirs}
        </button>
      </div>
    </section>
  );
}

import type { ReactElement } from 'react';
import { useChangeOfLink } from '../../data/changes.ts';
import { changedFields, type Editing, fieldsInConflict } from '../../data/edit-state.ts';
import { fieldsOf } from '../../data/link-fields.ts';
import { useSession } from '../../data/session.ts';
import type { LinkWholeFragment } from '../../generated/documents.ts';
import { byWhom } from '../../parts/changes.tsx';
import { texts } from '../../texts.ts';
import { shownNames, useShown } from './shown-fields.ts';

/** Who changed what meanwhile, where that is no conflict. */
export function Meanwhile({
  link,
  names: changed,
  since,
}: {
  link: LinkWholeFragment;
  names: readonly string[];
  since: string;
}): ReactElement {
  const session = useSession();
  const change = useChangeOfLink(link.id, since);
  const what = shownNames.filter((name) => changed.includes(name)).map((name) => texts.link.names[name]);
  return (
    <p className="notice" role="status">
      {texts.link.meanwhile(change ? byWhom(change, session) : '', [...new Set(what)].join(', '))}
    </p>
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

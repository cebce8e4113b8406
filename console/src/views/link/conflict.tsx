import type { ReactElement } from 'react';
import { Button, IconButton } from '../../controls/button.tsx';
import { isOwn, useChangesOfLink } from '../../data/changes.ts';
import { changedFields, type Editing, fieldsInConflict } from '../../data/edit-state.ts';
import { toLinkFields } from '../../data/link-fields.ts';
import type { Theirs } from '../../data/meanwhile.ts';
import { useSession } from '../../data/session.ts';
import type { EditState } from '../../data/use-edit-state.ts';
import { useValueNames } from '../../data/value-names.ts';
import type { LinkWholeFragment } from '../../generated/documents.ts';
import { byWhom } from '../../parts/changes.tsx';
import { Differences } from '../../parts/values.tsx';
import { texts } from '../../texts.ts';
import { type Shown, shownNames } from './shown-fields.ts';

/** Tells who changed other fields since somebody saw the link, and offers to take that back. */
export function Meanwhile({
  theirs: { values, changes, isOld },
  onBack,
  onClose,
}: {
  theirs: Theirs;
  onBack: (changeIds: readonly string[]) => void;
  onClose: EditState['closeTheirs'];
}): ReactElement {
  const session = useSession();
  const nameOf = useValueNames([{ values }]);
  const t = texts.link;
  const who = [...new Set(changes.map((change) => byWhom(change, session)))].join(', ');
  const ids = changes.filter(({ isRevertable }) => isRevertable).map(({ id }) => id);
  return (
    <div className="notice meanwhile" role="status">
      <div>
        {isOld ? t.changedSince(who) : t.changed(who)}
        <Differences change={{ kind: 'LINK', action: 'UPDATED', values }} nameOf={nameOf} />
      </div>
      {session.canWrite && ids.length > 0 && (
        <Button look="quiet small" text={texts.undo} onClick={() => onBack(ids.toReversed())} />
      )}
      <IconButton icon="close" name={texts.close} onClick={onClose} />
    </div>
  );
}

/** Tells what somebody else changed meanwhile, and offers both ways on. */
export function Conflict({
  mine: { fields: mine, read, updatedAt },
  theirs: link,
  shown,
  onMine,
  onTheirs,
}: {
  mine: Editing;
  theirs: LinkWholeFragment;
  shown: Shown;
  onMine: () => void;
  onTheirs: () => void;
}): ReactElement {
  const session = useSession();
  const log = useChangesOfLink(link.id, updatedAt);
  const change = log.find((one) => !isOwn(one, session)) ?? log[0];
  const theirs = toLinkFields(link);
  const own = changedFields(mine, read);
  const inConflict = fieldsInConflict(theirs, mine, read);
  const rows = shownNames.filter((name) => inConflict.includes(name));
  const t = texts.link;
  return (
    <section className="card conflict stack near" role="alert" aria-labelledby="conflict">
      <h2 id="conflict">{t.conflict(change ? byWhom(change, session) : '')}</h2>
      <p>{rows.length > 0 ? t.conflictWhy : t.conflictUnshown}</p>
      {rows.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">{t.field}</th>
              <th scope="col">
                <bdi>{(change && !isOwn(change, session) && change.by?.name) || t.theirs}</bdi>
              </th>
              <th scope="col">{t.yours}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((name) => (
              <tr key={name}>
                <th scope="row">{t.names[name]}</th>
                <td>
                  <bdi>{shown(theirs, name)}</bdi>
                </td>
                <td>{name in own ? <bdi>{shown(mine, name)}</bdi> : t.unchanged}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="buttons">
        <Button text={t.keepMine} onClick={onMine} />
        <Button look="quiet" text={t.takeTheirs} onClick={onTheirs} />
      </div>
    </section>
  );
}

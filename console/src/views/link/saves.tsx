import { type ReactElement, useSyncExternalStore } from 'react';
import { Button } from '../../controls/button.tsx';
import { useChangesOfLink } from '../../data/changes.ts';
import { isDoneBy, lately } from '../../data/deeds.ts';
import { changedFields } from '../../data/edit-state.ts';
import { loggedName } from '../../data/meanwhile.ts';
import { useSession } from '../../data/session.ts';
import type { EditState } from '../../data/use-edit-state.ts';
import { useValueNames } from '../../data/value-names.ts';
import { showValue } from '../../data/values.ts';
import type { LinkWholeFragment, LoggedChangeFragment } from '../../generated/documents.ts';
import { texts } from '../../texts.ts';
import { atNearMoment } from '../../words/format.ts';

/**
 * Those of the changes that the service can take back, since their values are those of the link, each field once. The log has the
 * newest first.
 */
function openIn(log: readonly LoggedChangeFragment[], ids: readonly string[]): LoggedChangeFragment[] {
  const latest = new Map<string, string | null>();
  for (const { values } of log)
    for (const { name, after } of values) if (!latest.has(name)) latest.set(name, after);
  const taken = new Set<string>();
  return log.filter(({ id, isRevertable, values }) => {
    if (!isRevertable || !ids.includes(id)) return false;
    const isOpen = values.every(
      ({ name, after, isSecret }) => isSecret || (latest.get(name) === after && !taken.has(name)),
    );
    if (isOpen) for (const { name } of values) taken.add(name);
    return isOpen;
  });
}

/** The saves of this tab with the values before, to take back unless the fields are being edited again. */
export function Saves({
  link,
  edit: { fields, read },
  onBack,
}: {
  link: LinkWholeFragment;
  edit: EditState;
  onBack: (changeId: string) => void;
}): ReactElement | null {
  const session = useSession();
  const done = useSyncExternalStore(lately.subscribe, lately.get);
  const ids = done
    .filter((deed) => deed.linkId === link.id && isDoneBy(session, deed))
    .flatMap(({ changeIds }) => changeIds);
  const log = useChangesOfLink(link.id, null, ids.length === 0);
  const edited = new Set(Object.keys(changedFields(fields, read)).map(loggedName));
  const open = openIn(log, ids).filter(({ fields }) => !fields.some((name) => edited.has(name)));
  const nameOf = useValueNames(open);
  if (open.length === 0) return null;
  return (
    <ul className="card saves">
      {open.map((change) => (
        <li key={change.id}>
          <p>{texts.link.savedOn(atNearMoment(change.at))}</p>
          <dl>
            {change.values
              .flatMap((value) => showValue(change, value, nameOf).rows)
              .map(({ key, name, was }) => (
                <div key={key}>
                  <dt className="hint">{name}</dt>
                  <dd>
                    <bdi>{was ?? texts.link.nothing}</bdi>
                  </dd>
                </div>
              ))}
          </dl>
          <Button look="text small undo" text={texts.undo} onClick={() => onBack(change.id)} />
        </li>
      ))}
    </ul>
  );
}

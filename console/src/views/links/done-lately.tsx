import { type ReactElement, useSyncExternalStore } from 'react';
import { Button } from '../../controls/button.tsx';
import { type Deed, isDoneBy, lately } from '../../data/deeds.ts';
import { aboutDeed, undoMany } from '../../data/many-links.ts';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { toasts } from '../../data/toasts.ts';
import { ChangeDocument } from '../../generated/documents.ts';
import { texts } from '../../texts.ts';
import { atTime } from '../../words/format.ts';

/** A deed: in the words of then, or after a reload in those of the log; null until they are read. */
function useDeedText({ text, changeIds }: Deed): string | null {
  const [id = ''] = changeIds;
  const { data } = useRead(ChangeDocument, { id }, { pause: text !== undefined || id === '' });
  const t = texts.history;
  if (text !== undefined) return text;
  if (!data) return null;
  const { change } = data;
  const { length } = changeIds;
  const subject = length === 1 ? texts.recordKinds.LINK : t.several(length, 'LINK');
  if (!change) return subject;
  const deed = t.actions[change.action] ?? change.action;
  const fields = change.fields.map((field) => t.fields[field] ?? field).join(', ');
  return `${subject}${t.joint}${fields === '' ? deed : t.changed(deed, fields)}`;
}

function Done({ deed, isLast }: { deed: Deed; isLast: boolean }): ReactElement | null {
  const session = useSession();
  const text = useDeedText(deed);
  if (text === null) return null;
  return (
    <li>
      <time dateTime={deed.at}>{atTime(deed.at)}</time> {text}
      {isLast && (
        <Button
          look="text undo"
          text={texts.undo}
          aria-label={texts.labelled(texts.undo, text)}
          onClick={() => void undoMany(session, deed, text)}
        />
      )}
    </li>
  );
}

/**
 * The latest actions on links of the list, to undo the last first, also after the page was loaded again. While a message offers to
 * undo something, it alone does. Below the list: nothing moves there when it is gone.
 */
export function DoneLately(): ReactElement | null {
  const session = useSession();
  const all = useSyncExternalStore(lately.subscribe, lately.get);
  const told = useSyncExternalStore(toasts.subscribe, toasts.get);
  const isOffered = told.some(({ action }) => action !== undefined);
  const deeds = all.filter(
    (deed) =>
      deed.linkId === null && isDoneBy(session, deed) && !told.some(({ about }) => about === aboutDeed(deed)),
  );
  if (deeds.length === 0) return null;
  return (
    <ul className="lately hint" aria-label={texts.bulk.lately}>
      {deeds.map((deed, index) => (
        <Done key={deed.at} deed={deed} isLast={index === 0 && !isOffered} />
      ))}
    </ul>
  );
}

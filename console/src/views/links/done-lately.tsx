import { type ReactElement, useSyncExternalStore } from 'react';
import { type Deed, isDoneBy, lately } from '../../data/deeds.ts';
import { undoMany } from '../../data/many-links.ts';
import { useRead } from '../../data/read.ts';
import { useSession } from '../../data/session.ts';
import { ChangeDocument } from '../../generated/documents.ts';
import { texts } from '../../texts.ts';
import { atTime } from '../../words/format.ts';

/** A deed: in the words of then, or after a reload in those of the log. */
function useDeedText({ text, changeIds }: Deed): string {
  const [id = ''] = changeIds;
  const change = useRead(ChangeDocument, { id }, { pause: text !== undefined || id === '' }).data?.change;
  const t = texts.history;
  if (text !== undefined) return text;
  const { length } = changeIds;
  const subject = length === 1 ? texts.recordKinds.LINK : t.several(length, 'LINK');
  if (!change) return subject;
  const deed = t.actions[change.action] ?? change.action;
  const fields = change.fields.map((field) => t.fields[field] ?? field).join(', ');
  return `${subject}${t.joint}${fields === '' ? deed : t.changed(deed, fields)}`;
}

function Done({ deed, isLast }: { deed: Deed; isLast: boolean }): ReactElement {
  const session = useSession();
  const text = useDeedText(deed);
  return (
    <li>
      <time dateTime={deed.at}>{atTime(deed.at)}</time> {text}
      {isLast && (
        <button
          type="button"
          className="button text undo"
          aria-label={texts.labelled(texts.undo, text)}
          onClick={() => void undoMany(session, deed, text)}
        >
          {texts.undo}
        </button>
      )}
    </li>
  );
}

/** The latest actions on links of the list, to undo the last first, also after the page was loaded again. */
export function DoneLately(): ReactElement | null {
  const session = useSession();
  const all = useSyncExternalStore(lately.subscribe, lately.get);
  const deeds = all.filter((deed) => deed.linkId === null && isDoneBy(session, deed));
  if (deeds.length === 0) return null;
  return (
    <ul className="lately" aria-label={texts.bulk.lately}>
      {deeds.map((deed, index) => (
        <Done key={deed.at} deed={deed} isLast={index === 0} />
      ))}
    </ul>
  );
}

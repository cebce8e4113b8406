import { type ReactElement, useSyncExternalStore } from 'react';
import { lately } from '../../data/deeds.ts';
import { useSession } from '../../data/session.ts';
import { texts } from '../../texts.ts';
import { atTime } from '../../words/format.ts';

/** The latest actions on many links, to undo the last first. */
export function DoneLately(): ReactElement | null {
  const { accountId } = useSession();
  const deeds = useSyncExternalStore(lately.subscribe, lately.get).filter(
    (deed) => deed.accountId === accountId,
  );
  if (deeds.length === 0) return null;
  return (
    <ul className="lately" aria-label={texts.bulk.lately}>
      {deeds.map(({ at, text, undo }, index) => (
        <li key={at}>
          <time dateTime={at}>{atTime(at)}</time> {text}
          {index === 0 && (
            <button
              type="button"
              className="button text undo"
              aria-label={`${texts.undo}: ${text}`}
              onClick={undo}
            >
              {texts.undo}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}

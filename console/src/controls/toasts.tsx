import { type ReactElement, useEffect, useSyncExternalStore } from 'react';
import { useLocation } from 'wouter';
import { away } from '../data/away.ts';
import { actOn, dismissPassive, dismissToast, type Toast, toasts, wasAnnounced } from '../data/toasts.ts';
import { texts } from '../texts.ts';
import { IconButton } from './button.tsx';

/** Shown during an outage while there is no other message: only one stands there, and it covers no part of a view. */
const isAway: Toast = { id: Infinity, text: texts.away, wrong: true, about: '' };

/** The message that is shown, if any. */
export function Toasts(): ReactElement {
  const last = useSyncExternalStore(toasts.subscribe, toasts.get).at(-1);
  const shown = useSyncExternalStore(away.subscribe, away.get) ? (last ?? isAway) : last;
  const [location] = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs whenever the address changes, which it does not read
  useEffect(dismissPassive, [location]);
  return (
    <div className="toasts" role="status" aria-live={shown && wasAnnounced(shown) ? 'off' : 'polite'}>
      {shown && (
        <div key={shown.id} className={shown.wrong ? 'toast line wrong' : 'toast line'}>
          <span>{shown.text}</span>
          {shown.action && (
            <button type="button" className="act" onClick={() => actOn(shown)}>
              {shown.action.name}
            </button>
          )}
          {shown !== isAway && (
            <IconButton icon="close" name={texts.close} onClick={() => dismissToast(shown.id)} />
          )}
        </div>
      )}
    </div>
  );
}

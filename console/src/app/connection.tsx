import { useEffect, useEffectEvent, useRef } from 'react';
import { away, useAfterOutage } from '../data/away.ts';
import { announceAll, announceKinds } from '../data/bus.ts';
import { followChanges, reconnectNow } from '../data/live.ts';
import { useSession } from '../data/session.ts';
import { dismissOutage, showToast } from '../data/toasts.ts';
import { texts } from '../texts.ts';

/** The time in the background after which everything is read again, in milliseconds. */
const STALE_AFTER = 30_000;

/** Follows the changes of others, and finds out when a service that does not answer is back. */
export function Connection(): null {
  const { client, accountId, viewer } = useSession();
  const onRevoked = useEffectEvent(() => {
    // The next request fails, and ends the session.
    announceAll();
  });
  const wasOpen = useRef(false);
  const onConnection = useEffectEvent(async (isOpen: boolean) => {
    // A stream ends, too, when the user gets another role.
    if (isOpen && wasOpen.current) announceKinds('MEMBER');
    wasOpen.current ||= isOpen;
    if (!isOpen) await away.find();
  });
  useEffect(() => {
    const name = `linkspace.${accountId}.${viewer.user?.id}`;
    const begin = () => followChanges({ client, accountId, name, onConnection, onRevoked });
    let end = begin();
    // A page that is left may come back from the browser's cache; frozen there, it must not lead other tabs.
    const onHide = () => end();
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      end = begin();
      announceAll();
    };
    window.addEventListener('pagehide', onHide);
    window.addEventListener('pageshow', onShow);
    return () => {
      window.removeEventListener('pagehide', onHide);
      window.removeEventListener('pageshow', onShow);
      end();
    };
  }, [client, accountId, viewer.user?.id]);
  useAfterOutage(() => {
    const wasTold = dismissOutage();
    showToast(wasTold ? texts.backNotDone : texts.back);
    reconnectNow();
    announceAll();
  });
  useEffect(() => {
    let hiddenAt = 0;
    const onVisible = () => {
      if (document.hidden) hiddenAt = Date.now();
      else if (Date.now() - hiddenAt > STALE_AFTER) announceAll();
    };
    document.addEventListener('visibilitychange', onVisible);
    return () => document.removeEventListener('visibilitychange', onVisible);
  }, []);
  return null;
}

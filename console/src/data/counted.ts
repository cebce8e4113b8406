import { useEffect, useEffectEvent } from 'react';
import { stringifyDocument } from 'urql';
import { ClicksDocument, type ClicksSubscription } from '../generated/documents.ts';
import { openStreams } from './live.ts';
import { makeStore } from './store.ts';
import { wait } from './write.ts';

/** The clicks of the present day in UTC of the links that are watched, by their ids. */
export const counted = makeStore<ReadonlyMap<string, number>>(new Map());

/** The most links of a subscription. */
const MAX_WATCHED = 100;
/** The pause before a stream is opened again, in seconds. */
const PAUSE = 5;

/** Of all windows in sight, one has a stream: browsers open only six connections to a host over HTTP/1.1. */
const LOCK = 'linkspace-clicks';

let day = '';

/**
 * Keeps the clicks of links up to date while the page is in sight. Where they cannot be watched, they stay as they were read.
 * @param onNewDay called when the counts have begun at 0 again
 */
export function useCounted(accountId: string, ids: readonly string[], onNewDay: () => void): void {
  const startDay = useEffectEvent(onNewDay);
  const key = ids.slice(0, MAX_WATCHED).join();
  useEffect(() => {
    if (key === '') return;
    const variables = { linkIds: key.split(',') };
    const query = stringifyDocument(ClicksDocument);
    // Those of pages that are no longer shown are not kept.
    counted.set(new Map([...counted.get()].filter(([id]) => variables.linkIds.includes(id))));
    let ended = new AbortController();
    const follow = async (signal: AbortSignal): Promise<void> => {
      const over = new Promise((resolve) => signal.addEventListener('abort', resolve));
      while (!signal.aborted) {
        const streams = openStreams(accountId);
        signal.addEventListener('abort', () => streams.dispose());
        try {
          for await (const { data } of streams.iterate<ClicksSubscription>({ query, variables }))
            if (data?.clicks) take(data.clicks);
        } catch {
          // The service is away, or refuses it for now.
        }
        await Promise.race([wait(PAUSE), over]);
      }
    };
    const watch = () => {
      ended.abort();
      if (document.hidden) return;
      ended = new AbortController();
      const { signal } = ended;
      // Aborted before it had the lock, or the browser blocks locks.
      void navigator.locks?.request(LOCK, { signal }, () => follow(signal)).catch(() => undefined);
    };
    const take = ({ linkId, clicks, at }: ClicksSubscription['clicks']) => {
      if (linkId === null) return;
      const isNewDay = day !== '' && day !== at.slice(0, 10);
      day = at.slice(0, 10);
      counted.set(new Map(isNewDay ? [] : counted.get()).set(linkId, clicks));
      if (isNewDay) startDay();
    };
    document.addEventListener('visibilitychange', watch);
    watch();
    return () => {
      document.removeEventListener('visibilitychange', watch);
      ended.abort();
    };
  }, [accountId, key]);
}

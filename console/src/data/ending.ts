import { useEffect, useEffectEvent, useState } from 'react';
import type { LinkRowFragment } from '../generated/documents.ts';
import { announce } from './bus.ts';
import { useRepeat } from './repeat.ts';

type Ending = Pick<LinkRowFragment, 'id' | 'status' | 'clicks' | 'expiration'>;

const endTime = ({ expiration: { at } }: Pick<Ending, 'expiration'>): number =>
  at === null ? Infinity : Date.parse(at);

/** Returns true if the time of a link is over. */
export const hasEnded = (link: Pick<Ending, 'expiration'>): boolean => endTime(link) <= Date.now();

/** The next end of these links after a time; `Infinity` if none ends. */
export const nextEnd = (links: readonly Pick<Ending, 'expiration'>[], now: number): number =>
  Math.min(...links.map(endTime).filter((end) => end > now));

/** Returns true if the next visit may use up one of these links. */
export const mayBeUsedUp = (links: readonly Ending[]): boolean =>
  links.some(({ status, clicks, expiration }) => status === 'ACTIVE' && clicks < (expiration.clicks ?? 0));

/** The longest time without a look at the clock, in milliseconds: timers stand still while a machine sleeps. */
const LOOK_EVERY = 60_000;

/** Draws again as soon as one of the links ends, and has it read again; reads them often while visits may use one up. */
export function useEnding(links: readonly Ending[], isReading: boolean, again: () => void): void {
  const [, setNow] = useState(0);
  const end = nextEnd(links, Date.now());
  const onEnd = useEffectEvent(() => {
    const now = Date.now();
    const ended = links.filter((link) => endTime(link) >= end && endTime(link) <= now);
    setNow(now);
    announce(ended.map(({ id }) => ({ kind: 'LINK', recordId: id, action: 'UPDATED' })));
  });
  useEffect(() => {
    if (end === Infinity) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(timer);
      const left = end - Date.now();
      if (left <= 0) onEnd();
      else timer = setTimeout(look, Math.min(left, LOOK_EVERY));
    };
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [end]);
  useRepeat(again, mayBeUsedUp(links), isReading);
}

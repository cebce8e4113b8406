import { useEffect, useEffectEvent, useRef } from 'react';

/** The pause between two questions, in milliseconds: with the second in which visits are written, clicks show within five. */
const PAUSE = 2_000;
/** The pause is at least this many times as long as the question, and at most `MAX_PAUSE`. */
const SHARE = 10;
const MAX_PAUSE = 30_000;

/** The pause after a question that took so many milliseconds: a busy service is asked less often. */
export const pauseAfter = (took: number): number => Math.min(Math.max(PAUSE, took * SHARE), MAX_PAUSE);

/**
 * Asks again and again while the page is in sight, and at once when it comes back into sight.
 * @param isOn false to ask nothing
 * @param isReading true while something else is being read; the next question waits for it
 */
export function useRepeat(ask: () => unknown, isOn: boolean, isReading: boolean): void {
  const act = useEffectEvent(ask);
  const since = useRef(0);
  const took = useRef(0);
  useEffect(() => {
    if (isReading) since.current = Date.now();
    else if (since.current > 0) took.current = Date.now() - since.current;
  }, [isReading]);
  const isReady = isOn && !isReading;
  useEffect(() => {
    if (!isReady) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const next = (pause: number) => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        if (document.hidden) return;
        const startedAt = Date.now();
        await act();
        took.current = Math.max(took.current, Date.now() - startedAt);
        if (!isOver) next(pauseAfter(took.current));
      }, pause);
    };
    const onVisible = () => document.hidden || next(0);
    document.addEventListener('visibilitychange', onVisible);
    next(pauseAfter(took.current));
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [isReady]);
}

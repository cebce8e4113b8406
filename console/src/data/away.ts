import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import { type Fault, mayBeOutage } from './faults.ts';
import { makeStore } from './store.ts';

/** The time in which a service that is there answers, in milliseconds. */
export const ANSWERS_IN = 5_000;
/** The pause before a service that does not answer is asked again, in milliseconds. */
const ASK_EVERY = 2_000;

/** Seconds until a question that failed is asked again while the service is there. */
const RETRY_AFTER = 5;

const isAway = makeStore(false);
let timer: ReturnType<typeof setInterval> | undefined;

async function lookAgain(): Promise<void> {
  if (!isAway.get() || !(await away.isOver())) return;
  clearInterval(timer);
  isAway.set(false);
}

/** True while the service does not answer, which is told where messages stand. */
export const away = {
  subscribe: isAway.subscribe,
  get: isAway.get,
  /** Asks the service for an answer. */
  async isOver(): Promise<boolean> {
    try {
      return (await fetch('/readyz', { cache: 'no-store', signal: AbortSignal.timeout(ANSWERS_IN) })).ok;
    } catch {
      return false;
    }
  },
  /** Checks for an outage after a request without an answer, and then for its end. */
  async find(): Promise<void> {
    if (isAway.get() || (await away.isOver()) || isAway.get()) return;
    isAway.set(true);
    clearInterval(timer);
    timer = setInterval(lookAgain, ASK_EVERY);
  },
};

/** Acts as soon as an outage is over. */
export function useAfterOutage(act: () => unknown): void {
  const now = useSyncExternalStore(away.subscribe, away.get);
  const before = useRef(now);
  const onOver = useEffectEvent(act);
  useEffect(() => {
    if (before.current && !now) onOver();
    before.current = now;
  }, [now]);
}

/**
 * Asks again for what failed while the service is there, such as by a full queue or a broken connection. The end of an outage asks
 * again by itself.
 * @param fault another one for each failure
 */
export function useRetry(fault: Fault | null, again: () => unknown): void {
  const retry = useEffectEvent(again);
  useEffect(() => {
    if (!fault || !mayBeOutage(fault)) return;
    const seconds = Math.max(fault.retryAfter ?? 0, RETRY_AFTER);
    const timer = setTimeout(() => away.get() || retry(), seconds * 1_000);
    return () => clearTimeout(timer);
  }, [fault]);
}

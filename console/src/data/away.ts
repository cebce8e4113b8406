/** How soon a service that is there answers, in milliseconds. */
const ANSWERS_IN = 5_000;

let isAway = false;
const listeners = new Set<() => void>();

/** Whether the service does not answer, which a line above the page says then: for `useSyncExternalStore`. */
export const away = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (): boolean => isAway,
  /** Asks the service whether it is there. */
  async isOver(): Promise<boolean> {
    try {
      return (await fetch('/readyz', { cache: 'no-store', signal: AbortSignal.timeout(ANSWERS_IN) })).ok;
    } catch {
      return false;
    }
  },
  /** Finds out whether it is, after a request without an answer. */
  async find(): Promise<void> {
    if (!isAway && !(await away.isOver())) away.set(true);
  },
  set(now: boolean): void {
    isAway = now;
    for (const listener of listeners) listener();
  },
};

let isAway = false;
const listeners = new Set<() => void>();

/** Whether the service does not answer, which a line above the page says then: for `useSyncExternalStore`. */
export const away = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (): boolean => isAway,
  set(now: boolean): void {
    isAway = now;
    for (const listener of listeners) listener();
  },
};

/** A value that the whole page shares: for `useSyncExternalStore`. */
export interface Store<Value> {
  subscribe(listener: () => void): () => void;
  get(): Value;
  set(now: Value): void;
}

export function makeStore<Value>(first: Value): Store<Value> {
  let value = first;
  const listeners = new Set<() => void>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get: () => value,
    set(now) {
      value = now;
      for (const listener of listeners) listener();
    },
  };
}

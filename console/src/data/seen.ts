/** The number of links that are remembered. */
const MOST_LINKS = 50;

// In memory alone: a browser may have several people.
const all = new Map<string, string>();
const listeners = new Set<() => void>();

/** The times up to which somebody in this tab knows the changes of links, by links: for `useSyncExternalStore`. */
export const seen = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (name: string): string | undefined => all.get(name),
  keep(name: string, until: string): void {
    all.delete(name);
    all.set(name, until);
    const [oldest = ''] = all.keys();
    if (all.size > MOST_LINKS) all.delete(oldest);
    for (const listener of listeners) listener();
  },
};

export function forgetSeen(): void {
  all.clear();
}

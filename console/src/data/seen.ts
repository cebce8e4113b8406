import type { Saved } from './edit-state.ts';
import type { LinkFields } from './link-fields.ts';

/** How many links are remembered. */
const MOST_LINKS = 50;

/** What somebody has seen of a link in this tab. */
export interface Seen {
  /** The fields as somebody here last saw, saved or accepted them. */
  readonly known: LinkFields;
  /** When the link was as that, or before what is not accepted yet. */
  readonly since: string;
  /** What was saved here, oldest first. */
  readonly saves: readonly Saved[];
}

// In memory alone: a browser may have several people.
const all = new Map<string, Seen>();
const listeners = new Set<() => void>();

/** What is remembered of links: for `useSyncExternalStore`. */
export const seen = {
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (name: string): Seen | undefined => all.get(name),
  keep(name: string, one: Seen): void {
    all.delete(name);
    all.set(name, one);
    const [oldest = ''] = all.keys();
    if (all.size > MOST_LINKS) all.delete(oldest);
    for (const listener of listeners) listener();
  },
};

export function forgetSeen(): void {
  all.clear();
}

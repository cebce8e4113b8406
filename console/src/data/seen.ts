import type { Saved } from './edit-state.ts';
import type { LinkFields } from './link-fields.ts';

/** The number of links that are remembered. */
const MOST_LINKS = 50;

/** A link as somebody saw it in this tab. */
export interface Seen {
  /** The fields as somebody here last saw, saved or accepted them. */
  readonly known: LinkFields;
  /** The time when the link was as that, or before changes that are not accepted yet. */
  readonly since: string;
  /** The saves of this tab, oldest first. */
  readonly saves: readonly Saved[];
}

// In memory alone: a browser may have several people.
const all = new Map<string, Seen>();
const listeners = new Set<() => void>();

/** The links that are remembered: for `useSyncExternalStore`. */
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

import { useState } from 'react';
import type { LinkRowFragment } from '../../generated/documents.ts';

export interface Selection {
  /** The links as they are on the page, or were on other pages. */
  readonly links: readonly LinkRowFragment[];
  /** True if all links that match the filter are selected, on other pages, too. */
  readonly isAll: boolean;
  has(id: string): boolean;
  /** Selects a link or not; with a range, also all between it and the last one. */
  toggle(id: string, range: boolean): void;
  /** Moves the end of the range that is being selected from a link to its neighbour. */
  extend(from: string, to: string): void;
  togglePage(): void;
  selectAll(): void;
  clear(): void;
}

const none: ReadonlyMap<string, LinkRowFragment> = new Map();

/** The selected links; another filter clears them. */
export function useSelection(links: readonly LinkRowFragment[], filter: string): Selection {
  const empty = { filter, chosen: none, isAll: false, last: '', end: '' };
  const [state, setState] = useState(empty);
  const { chosen, isAll, last, end } = state.filter === filter ? state : empty;
  const shown = new Map(links.map((link) => [link.id, link]));
  const has = (id: string) => isAll || chosen.has(id);
  const set = (next: ReadonlyMap<string, LinkRowFragment>, more: Partial<typeof empty> = {}) =>
    setState({ ...empty, chosen: next, ...more });
  const between = (one: string, other: string) => {
    const order = [...shown.keys()];
    const [from = -1, to = -1] = [order.indexOf(one), order.indexOf(other)].toSorted((a, b) => a - b);
    return from < 0 ? [] : links.slice(from, to + 1);
  };
  return {
    links: [...chosen].map(([id, link]) => shown.get(id) ?? link),
    isAll,
    has,
    toggle(id, range) {
      const next = new Map(isAll ? shown : chosen);
      const span = range ? between(last, id) : [];
      const selects = !next.has(id);
      for (const link of span.length > 0 ? span : between(id, id))
        selects ? next.set(link.id, link) : next.delete(link.id);
      set(next, { last: id, end: id });
    },
    extend(from, to) {
      const next = new Map(isAll ? shown : chosen);
      // It goes on from where it began, unless somebody went elsewhere meanwhile.
      const begin = end === from ? last : from;
      for (const link of between(begin, from)) next.delete(link.id);
      for (const link of between(begin, to)) next.set(link.id, link);
      set(next, { last: begin, end: to });
    },
    togglePage: () => set([...shown.keys()].every(has) ? none : new Map([...chosen, ...shown])),
    selectAll: () => set(shown, { isAll: true }),
    clear: () => set(none),
  };
}

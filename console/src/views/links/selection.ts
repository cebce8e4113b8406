import { useState } from 'react';
import type { LinkRowFragment } from '../../generated/documents.ts';

export interface Selection {
  /** As they are on the page; those of other pages as they were there. */
  readonly links: readonly LinkRowFragment[];
  /** Whether all links that match the filter are meant, on other pages, too. */
  readonly isAll: boolean;
  has(id: string): boolean;
  /** Selects a link or not; with a range, also all between it and the last one. */
  toggle(id: string, range: boolean): void;
  togglePage(): void;
  selectAll(): void;
  clear(): void;
}

const none: ReadonlyMap<string, LinkRowFragment> = new Map();

/** Which links are selected; another filter clears it. */
export function useSelection(links: readonly LinkRowFragment[], filter: string): Selection {
  const [state, setState] = useState({ filter, chosen: none, isAll: false, last: '' });
  const valid = state.filter === filter ? state : { filter, chosen: none, isAll: false, last: '' };
  const { chosen, isAll } = valid;
  const shown = new Map(links.map((link) => [link.id, link]));
  const has = (id: string) => isAll || chosen.has(id);
  const set = (next: ReadonlyMap<string, LinkRowFragment>, { last = '', all = false } = {}) =>
    setState({ filter, chosen: next, isAll: all, last });
  return {
    links: [...chosen].map(([id, link]) => shown.get(id) ?? link),
    isAll,
    has,
    toggle(id, range) {
      const next = new Map(isAll ? shown : chosen);
      const order = [...shown.keys()];
      const [from, to] = [order.indexOf(valid.last), order.indexOf(id)].toSorted((a, b) => a - b);
      const spans = range && from !== undefined && to !== undefined && from >= 0;
      const selects = !next.has(id);
      for (const link of links.filter((one, at) => (spans ? at >= from && at <= to : one.id === id)))
        selects ? next.set(link.id, link) : next.delete(link.id);
      set(next, { last: id });
    },
    togglePage: () => set([...shown.keys()].every(has) ? none : new Map([...chosen, ...shown])),
    selectAll: () => set(shown, { all: true }),
    clear: () => set(none),
  };
}

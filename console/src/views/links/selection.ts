import { useState } from 'react';

export interface Selection {
  readonly ids: ReadonlySet<string>;
  /** Whether all links that match the filter are meant, on other pages, too. */
  readonly isAll: boolean;
  has(id: string): boolean;
  /** Selects a link or not; with a range, also all between it and the last one. */
  toggle(id: string, range: boolean): void;
  togglePage(): void;
  selectAll(): void;
  clear(): void;
}

/** Which links are selected; another filter clears it. */
export function useSelection(links: readonly { id: string }[], filter: string): Selection {
  const [state, setState] = useState({ filter, ids: new Set<string>(), isAll: false, last: '' });
  const valid = state.filter === filter ? state : { filter, ids: new Set<string>(), isAll: false, last: '' };
  const shown = links.map(({ id }) => id);
  const set = (ids: Iterable<string>, { last = '', isAll = false } = {}) =>
    setState({ filter, ids: new Set(ids), isAll, last });
  return {
    ids: valid.ids,
    isAll: valid.isAll,
    has: (id) => valid.isAll || valid.ids.has(id),
    toggle(id, range) {
      const before = new Set(valid.isAll ? shown : valid.ids);
      const [from, to] = [shown.indexOf(valid.last), shown.indexOf(id)].toSorted((a, b) => a - b);
      const spans = range && from !== undefined && to !== undefined && from >= 0;
      const touched = spans ? shown.slice(from, to + 1) : [id];
      const selects = !before.has(id);
      for (const one of touched) selects ? before.add(one) : before.delete(one);
      set(before, { last: id });
    },
    togglePage: () =>
      set(shown.every((id) => valid.isAll || valid.ids.has(id)) ? [] : [...valid.ids, ...shown]),
    selectAll: () => set(shown, { isAll: true }),
    clear: () => set([]),
  };
}

import { useEffect, useLayoutEffect } from 'react';
import { texts } from '../texts.ts';

const put = (...names: readonly string[]): void => {
  document.title = [...names, texts.product].join(' · ');
};

/** Names the page in the title of its tab, by what is special about it first. */
export function useTitle(...names: readonly string[]): void {
  useEffect(() => put(...names));
}

/** Names the page at each address, until its view, which may not be loaded yet, knows a better name. */
export function useTitleOf(location: string, name: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the title goes with the address
  useLayoutEffect(() => put(name), [location]);
}

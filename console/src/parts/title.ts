import { useEffect, useLayoutEffect } from 'react';
import { texts } from '../texts.ts';

const put = (...names: readonly string[]): void => {
  document.title = [...names, texts.product].join(' · ');
};

/** Names the page in the title of its tab; its most special name comes first. */
export function useTitle(...names: readonly string[]): void {
  useEffect(() => put(...names));
}

/** Names the page at each address, until its view, which may not be loaded yet, knows a better name. */
export function useTitleOf(location: string, name: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at each address, also if its name is equal
  useLayoutEffect(() => put(name), [location]);
}

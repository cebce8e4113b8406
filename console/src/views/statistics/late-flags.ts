import { makeStore } from '../../data/store.ts';
import { loadScript } from '../../data/version.ts';

type Flags = typeof import('./flags.ts')['flags'];

/** The flags of all countries, 47 kB, once one has come into sight; null before. */
export const lateFlags = makeStore<Flags | null>(null);

let isAsked = false;

/** Loads the flags as soon as an element is in sight. Without them, countries have empty boxes. */
export function loadInSight(element: Element | null): () => void {
  const observer = new IntersectionObserver((entries) => {
    if (isAsked || !entries.some(({ isIntersecting }) => isIntersecting)) return;
    isAsked = true;
    loadScript(() => import('./flags.ts')).then(
      ({ flags }) => lateFlags.set(flags),
      () => {
        isAsked = false;
      },
    );
  });
  if (element) observer.observe(element);
  return () => observer.disconnect();
}

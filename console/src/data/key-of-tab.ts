const KEPT = 'linkspace.key';

/**
 * The key of this tab, which outlives a reload. No script of a stranger runs on a host with the console: those of pixels run in a
 * frame with an origin of its own (src/redirect/pages.ts).
 */
export const keyOfTab = {
  /** The key from before this page was loaded; null if there is none. */
  get: (): string | null => sessionStorage.getItem(KEPT),
  set: (key: string): void => sessionStorage.setItem(KEPT, key),
  clear: (): void => sessionStorage.removeItem(KEPT),
};

import { LRUCache } from 'lru-cache';

/** How many results of a function are kept, and of texts of which length. */
const MAX_KEPT = 100;
const MAX_LENGTH = 1_000;

/** The function, with its last results kept: for what depends on a header alone, which most requests repeat. */
export function remembered<Result extends object>(of: (text: string) => Result): (text: string) => Result {
  const results = new LRUCache<string, Result>({ max: MAX_KEPT, memoMethod: of });
  return (text) => (text.length <= MAX_LENGTH ? results.memo(text) : of(text));
}

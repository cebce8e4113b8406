import { LRUCache } from 'lru-cache';

/** How many results of a function are kept, and of texts of which length. */
const MAX_KEPT = 100;
const MAX_LENGTH = 500;

/** The function, with its last results kept: for what depends on a header alone, which most requests repeat. */
export function remembered<Result extends object>(of: (text: string) => Result): (text: string) => Result {
  const results = new LRUCache<string, Result>({ max: MAX_KEPT });
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = of(text);
    if (text.length <= MAX_LENGTH) results.set(text, result);
    return result;
  };
}

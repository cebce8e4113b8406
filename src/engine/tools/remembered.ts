import { LRUCache } from 'lru-cache';

/** Maximum number of kept results of a function, and of characters of their texts. */
const MAX_KEPT = 100;
const MAX_LENGTH = 1_000;

/** The function, with its last results kept: for what depends on a header alone, which most requests repeat. */
export function remembered<Result extends object>(of: (text: string) => Result): (text: string) => Result {
  const results = new LRUCache<string, Result>({ max: MAX_KEPT, memoMethod: of });
  return (text) => (text.length <= MAX_LENGTH ? results.memo(text) : of(text));
}

/** The longest text that may be read several times in a request, in characters. */
export const SHORT_TEXT = 1_000;
/** The size of a cache of longer texts, in characters: more than a request may have. */
const MAX_READ = 4_000_000;

/** The function, which reads no long text twice in a request: several rules look at the same one. */
export function readOnce<Result extends NonNullable<unknown>>(
  of: (text: string) => Result,
): (text: string) => Result {
  const results = new LRUCache<string, { readonly result: Result }>({
    maxSize: MAX_READ,
    sizeCalculation: (_result, text) => text.length,
    memoMethod: (text) => ({ result: of(text) }),
  });
  return (text) => (text.length > SHORT_TEXT ? results.memo(text).result : of(text));
}

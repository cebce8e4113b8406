/**
 * The options of an LRU cache that takes memory only for the entries that it has: with `max`, lru-cache allocates memory for
 * all of them at once, 22 bytes each.
 */
export function growingTo(entries: number) {
  return { maxSize: entries, sizeCalculation: () => 1 };
}

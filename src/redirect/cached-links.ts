import { LRUCache } from 'lru-cache';
import type { VisitedRow } from '../db/reading/link-for-visit.ts';
import type { CacheEntry, EntryStore } from './read-cache.ts';

/** The size of a cached link in bytes, about. */
function estimateSize({ value }: CacheEntry<VisitedRow>): number {
  const { pixels = [], ...link } = value ?? {};
  const texts = [...Object.values(link), ...pixels.flatMap((pixel) => Object.values(pixel))];
  return 1_000 + texts.reduce<number>((sum, one) => sum + (typeof one === 'string' ? 2 * one.length : 0), 0);
}

/**
 * The cached links, each under one key, within a limit of memory. Changes name a link by its id, so the key of each id is
 * known. Links with a click limit are not kept, since each visit changes them.
 */
export class CachedLinks implements EntryStore<VisitedRow> {
  readonly #entries: LRUCache<string, CacheEntry<VisitedRow>>;
  readonly #keys = new Map<number, string>();

  constructor(megabytes: number) {
    this.#entries = new LRUCache({
      maxSize: megabytes * 1_000_000,
      sizeCalculation: estimateSize,
      dispose: ({ value }, key) => {
        if (value && this.#keys.get(value.id) === key) this.#keys.delete(value.id);
      },
    });
  }

  get(key: string): CacheEntry<VisitedRow> | undefined {
    return this.#entries.get(key);
  }

  set(key: string, entry: CacheEntry<VisitedRow>): void {
    const { value } = entry;
    if (value === null) return;
    // The entry under an earlier key of the link is outdated.
    this.forget(value.id);
    if (value.expirationClicks !== null) return;
    this.#keys.set(value.id, key);
    this.#entries.set(key, entry);
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** Removes a link. */
  forget(id: number): void {
    const key = this.#keys.get(id);
    if (key !== undefined) this.#entries.delete(key);
  }

  /** Removes the links for which the condition is true. */
  forgetWhere(condition: (link: VisitedRow) => boolean): void {
    for (const { value } of this.#entries.values()) if (value && condition(value)) this.forget(value.id);
  }
}

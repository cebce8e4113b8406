import { LRUCache } from 'lru-cache';
import type { VisitedRow } from '../db/reading/link-for-visit.ts';
import type { ParsedRules } from '../domain/rule/parsed.ts';
import type { CacheEntry, EntryStore } from './read-cache.ts';

type CachedLink = Omit<VisitedRow, 'rules'> & { readonly rules: ParsedRules };

/** The size of a cached link in bytes, about. */
function estimateSize({ value }: CacheEntry<CachedLink>): number {
  const { pixels = [], rules, ...link } = value ?? {};
  const texts = [...Object.values(link), ...pixels.flatMap((pixel) => Object.values(pixel))];
  const ofTexts = texts.reduce<number>((sum, one) => sum + (typeof one === 'string' ? 2 * one.length : 0), 0);
  return 1_000 + ofTexts + (rules?.bytes ?? 0);
}

/**
 * The cached links, each under one key, within a limit of memory. Changes name a link by its id, so the key of each id is
 * known. Links with a click limit are not kept, since each visit changes them.
 */
export class CachedLinks implements EntryStore<CachedLink> {
  readonly #entries: LRUCache<string, CacheEntry<CachedLink>>;
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

  get(key: string): CacheEntry<CachedLink> | undefined {
    return this.#entries.get(key);
  }

  set(key: string, entry: CacheEntry<CachedLink>): void {
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
  forgetWhere(condition: (link: CachedLink) => boolean): void {
    for (const { value } of this.#entries.values()) if (value && condition(value)) this.forget(value.id);
  }
}

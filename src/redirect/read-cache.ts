import { LRUCache } from 'lru-cache';
import { DatabaseAway } from '../engine/db/errors.ts';
import { TIMED_OUT, withTimeout } from '../engine/tools/timeout.ts';
import type { Freshness, HeardChange, Reading, ReadStart } from './freshness.ts';
import type { VisitWait } from './visit-wait.ts';
import type { WaitingReads } from './waiting-reads.ts';

/** Milliseconds for which an unknown name is fresh, since not all new records are announced. */
export const MISSING_FRESH_FOR = 900;
/** Milliseconds for which other entries are fresh, since changes made by hand are in no log. */
const FRESH_FOR = 60_000;
/** Milliseconds for which a visit waits for the renewal of an old entry, or for another visit's read. */
const RENEWAL_TIMEOUT = 200;
/** Milliseconds for which a visit waits for other visits' reads in all. */
const READ_TIMEOUT = 2_000;
/** Maximum number of cached unknown names, since anyone can request any number of them. */
const MAX_MISSING = 2_000;

/** A cache entry; null for something that does not exist. */
export interface CacheEntry<T> {
  readonly value: T | null;
  readonly readAt: number;
}

/** Keeps the entries of what exists, as a map does. */
export interface EntryStore<T> {
  get(key: string): CacheEntry<T> | undefined;
  set(key: string, entry: CacheEntry<T>): unknown;
  delete(key: string): unknown;
  clear(): void;
}

/** The state that the caches of a process share. */
export interface Shared {
  readonly freshness: Freshness;
  readonly waiting: WaitingReads;
}

/** Reads from a database. */
export type Read<T> = () => Promise<Reading<T | null>>;

/** The first of several names that exists, and its place among them. */
export interface First<T> {
  readonly value: T;
  readonly at: number;
}

interface RunningRead<T> {
  readonly start: ReadStart;
  readonly answer: Promise<T | null>;
}

/**
 * A cache of what is read from the database; `Freshness` decides what may be cached, and for how long. Concurrent calls with the same
 * key share one read, and a visit that has an old entry waits only shortly for a new one. What does not exist has a cache of its
 * own, so that guesses evict nothing.
 */
export class ReadCache<T> {
  readonly #freshness: Freshness;
  readonly #waiting: WaitingReads;
  readonly #found: EntryStore<T>;
  readonly #missing = new LRUCache<string, CacheEntry<T>>({ max: MAX_MISSING });
  readonly #running = new Map<string, RunningRead<T>>();
  readonly #lastChange: (value: T | null) => HeardChange;
  readonly #freshFor: number;

  /**
   * @param lastChange the last change of a result; null for a name that is unknown
   * @param freshFor how long a value is fresh, in milliseconds
   */
  constructor(
    { freshness, waiting }: Shared,
    found: EntryStore<T>,
    lastChange: (value: T | null) => HeardChange,
    freshFor = FRESH_FOR,
  ) {
    this.#freshness = freshness;
    this.#waiting = waiting;
    this.#found = found;
    this.#lastChange = lastChange;
    this.#freshFor = freshFor;
  }

  clear(): void {
    this.#found.clear();
    this.clearMissing();
  }

  clearMissing(): void {
    this.#missing.clear();
  }

  /** The cached value; undefined if there is none, or it must be read again. */
  get(key: string): T | null | undefined {
    const known = this.#entry(key);
    return known && this.#isFresh(known) ? known.value : undefined;
  }

  #entry(key: string): CacheEntry<T> | undefined {
    return this.#found.get(key) ?? this.#missing.get(key);
  }

  #isFresh({ value, readAt }: CacheEntry<T>): boolean {
    return this.#freshness.isFresh(readAt, value === null ? MISSING_FRESH_FOR : this.#freshFor);
  }

  /**
   * The cached value, or else that of the database. If the database does not answer in the time that the visit waits, an old entry is
   * used; an old entry for an unknown name only with `missingServes`.
   */
  async find(key: string, read: Read<T>, wait: VisitWait, missingServes = false): Promise<T | null> {
    const known = this.#entry(key);
    if (known && this.#isFresh(known)) return known.value;
    const answer = this.#read(key, read);
    if (!known || (known.value === null && !missingServes)) {
      wait.mustRead();
      return answer;
    }
    const { value } = known;
    const found = await wait.upTo(RENEWAL_TIMEOUT, (ms) =>
      withTimeout(
        ms,
        answer.catch(() => value),
      ),
    );
    return found === TIMED_OUT ? value : found;
  }

  /**
   * The first of several names that exists, and its place among the keys. What is read is kept under its own key alone, so that
   * lists of names that nobody asks for again fill no cache.
   * @param read reads the first that exists from a place on
   */
  async findFirst(
    keys: readonly string[],
    read: (from: number) => Promise<Reading<First<T> | null>>,
    wait: VisitWait,
  ): Promise<First<T> | null> {
    let from = 0;
    for (const key of keys) {
      const known = this.get(key);
      if (known) return { value: known, at: from };
      if (known === undefined) break;
      from++;
    }
    if (from === keys.length) return null;
    wait.mustRead();
    const start = this.#freshness.beginRead();
    const { found, isComplete } = await this.#waiting.run(() => read(from));
    for (const missing of keys.slice(from, found?.at))
      this.#keep(missing, { found: null, isComplete }, start);
    const key = found === null ? undefined : keys[found.at];
    if (found && key !== undefined) this.#keep(key, { found: found.value, isComplete }, start);
    return found;
  }

  /** @throws DatabaseAway if the database does not answer in time, or its own error */
  async #read(key: string, read: Read<T>): Promise<T | null> {
    const deadline = performance.now() + READ_TIMEOUT;
    let failed = false;
    for (;;) {
      const other = this.#running.get(key);
      // A read from before a change may not know of it, and a slow one may be on a broken connection.
      if (!other || !this.#mayShare(other)) return this.#readNow(key, read, other);
      try {
        const found = await this.#waiting.run(() => withTimeout(RENEWAL_TIMEOUT, other.answer));
        if (found !== TIMED_OUT) return found;
      } catch (error) {
        // The first failure may be that of a connection.
        if (failed) throw error;
        failed = true;
      }
      // An old entry of an unknown name was refused before.
      const known = this.get(key);
      if (known) return known;
      if (performance.now() >= deadline) throw new DatabaseAway('the database did not answer in time');
    }
  }

  #mayShare({ start }: RunningRead<T>): boolean {
    return this.#freshness.isCurrent(start) && performance.now() - start.at < RENEWAL_TIMEOUT;
  }

  #readNow(key: string, read: Read<T>, before: RunningRead<T> | undefined): Promise<T | null> {
    const start = this.#freshness.beginRead();
    const asked = this.#waiting.run(read).then((reading) => {
      this.#keep(key, reading, start);
      return reading.found;
    });
    // The read before it may still answer first.
    const answers = before && this.#freshness.isCurrent(before.start) ? [before.answer, asked] : [asked];
    const answer = Promise.any(answers)
      .catch(({ errors }: AggregateError) => Promise.reject(errors.at(-1)))
      .finally(() => {
        if (this.#running.get(key)?.answer === answer) this.#running.delete(key);
      });
    this.#running.set(key, { start, answer });
    return answer;
  }

  #keep(key: string, { found, isComplete }: Reading<T | null>, start: ReadStart): void {
    if (found === null && start.isAnnounced) this.#found.delete(key);
    if (!this.#freshness.has(start, this.#lastChange(found))) return;
    const entry = { value: found, readAt: start.at };
    // An incomplete result may be cached for no longer than changes may take to be heard.
    if (found === null) this.#missing.set(key, entry);
    else if (isComplete || this.#freshFor <= MISSING_FRESH_FOR) this.#found.set(key, entry);
  }
}

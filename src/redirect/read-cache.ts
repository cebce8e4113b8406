import { LRUCache } from 'lru-cache';
import type { ChangeFeed } from '../engine/changes/feed.ts';
import { DatabaseAway } from '../engine/db/errors.ts';
import { TIMED_OUT, withTimeout } from '../engine/tools/timeout.ts';
import type { VisitWait } from './visit-wait.ts';

/** Milliseconds for which an unknown name is fresh, since not all new records are announced. */
export const MISSING_FRESH_FOR = 900;
/** Milliseconds for which other entries are fresh, since changes made by hand are in no log. */
const FRESH_FOR = 60_000;
/** Milliseconds for which a visit waits for the renewal of an old entry, or for another visit's read. */
const RENEWAL_TIMEOUT = 200;
/** Milliseconds for which a visit waits for other visits' reads in all. */
const READ_TIMEOUT = 2_000;
/** Maximum number of visits that wait for a database that does not answer; further ones are refused at once. */
const MAX_WAITING = 20;
/** Maximum number of cached unknown names, since anyone can request any number of them. */
const MAX_MISSING = 2_000;

/** The state of the databases: whether they answer, and which of their changes are announced. */
type Feed = Pick<ChangeFeed, 'away' | 'hasBegun' | 'staleBefore'>;

/** The shared state of the caches: the number of changes, and the limit of visits that wait for the database. */
export class CacheReads {
  readonly #feed: Feed;
  /** Incremented with each change. A result is not cached if its record has changed since the read began. */
  version = 0;
  #waiting = 0;

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  get isAway(): boolean {
    return this.#feed.away;
  }

  /** True if changes by others are announced, which is so from the first poll on. */
  get hearsChanges(): boolean {
    return this.#feed.hasBegun;
  }

  /** Time by `performance.now()`. Results of earlier reads may lack changes that are not announced yet. */
  get staleBefore(): number {
    return this.#feed.staleBefore;
  }

  /** Runs a query, unless the database is down and too many already wait for it. */
  async askDatabase<T>(ask: () => Promise<T>): Promise<T> {
    if (this.isAway && this.#waiting >= MAX_WAITING) throw new DatabaseAway('the database does not answer');
    this.#waiting++;
    return ask().finally(() => {
      this.#waiting--;
    });
  }
}

/** A cache entry; null for something that does not exist. */
export interface CacheEntry<T> {
  readonly value: T | null;
  readonly readAt: number;
}

/** A running read, and the version before it. */
interface RunningRead<T> {
  readonly version: number;
  readonly readAt: number;
  readonly answer: Promise<T | null>;
}

/**
 * A cache of what is read from the database. Concurrent calls with the same key share one read; while the database is down,
 * cached entries stay valid, and few calls wait. What does not exist has a cache of its own, so that guesses evict nothing.
 */
export class ReadCache<T> {
  readonly #reads: CacheReads;
  readonly #found: LRUCache<string, CacheEntry<T>>;
  readonly #mayKeep: (value: T, key: string, version: number) => boolean;
  readonly #freshFor: number;
  readonly #missing = new LRUCache<string, CacheEntry<T>>({ max: MAX_MISSING });
  readonly #running = new Map<string, RunningRead<T>>();
  /** The versions at the last calls of `clear` and `clearMissing`: what was read before them is not cached. */
  #cleared = 0;
  #clearedMissing = 0;

  /**
   * @param mayKeep whether the value is unchanged since the version before its read, so that it may be cached
   * @param freshFor how long a value is fresh, in milliseconds
   */
  constructor(
    reads: CacheReads,
    found: LRUCache<string, CacheEntry<T>>,
    mayKeep: (value: T, key: string, version: number) => boolean = () => true,
    freshFor = FRESH_FOR,
  ) {
    this.#reads = reads;
    this.#found = found;
    this.#mayKeep = mayKeep;
    this.#freshFor = freshFor;
  }

  clear(): void {
    this.#cleared = this.#reads.version;
    this.#found.clear();
    this.clearMissing();
  }

  clearMissing(): void {
    this.#clearedMissing = this.#reads.version;
    this.#missing.clear();
  }

  /** The cached value; undefined if there is none, or it must be read again. */
  get(key: string): T | null | undefined {
    const known = this.#entryOf(key);
    return known && this.#isFresh(known) ? known.value : undefined;
  }

  #entryOf(key: string): CacheEntry<T> | undefined {
    return this.#found.get(key) ?? this.#missing.get(key);
  }

  /** True if an entry needs no read: it is recent and lacks no known change, or the database is down. */
  #isFresh({ value, readAt }: CacheEntry<T>): boolean {
    if (this.#reads.isAway) return true;
    if (readAt < this.#reads.staleBefore) return false;
    return performance.now() - readAt < (value === null ? MISSING_FRESH_FOR : this.#freshFor);
  }

  /**
   * The cached value, or else that of the database. If the database does not answer in the time that the visit waits, an old entry is
   * used; an old entry for an unknown name only with `missingServes`.
   */
  async find(
    key: string,
    ask: () => Promise<T | null>,
    wait: VisitWait,
    missingServes = false,
  ): Promise<T | null> {
    const known = this.#entryOf(key);
    if (known && this.#isFresh(known)) return known.value;
    const asked = this.#read(key, ask);
    if (!known || (known.value === null && !missingServes)) {
      wait.mustRead();
      return asked;
    }
    const { value } = known;
    const found = await wait.upTo(RENEWAL_TIMEOUT, (ms) =>
      withTimeout(
        ms,
        asked.catch(() => value),
      ),
    );
    return found === TIMED_OUT ? value : found;
  }

  /** @throws DatabaseAway if the database does not answer in time, or its own error */
  async #read(key: string, ask: () => Promise<T | null>): Promise<T | null> {
    const deadline = performance.now() + READ_TIMEOUT;
    let failed = false;
    for (;;) {
      const other = this.#running.get(key);
      // A read from before a change may not know of it, and a slow one may be on a broken connection.
      if (!other || !this.#isCurrent(other) || performance.now() - other.readAt >= RENEWAL_TIMEOUT)
        return this.#readNow(key, ask, other);
      try {
        const found = await this.#reads.askDatabase(() => withTimeout(RENEWAL_TIMEOUT, other.answer));
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

  /** True if a running read has all changes that are known by now. */
  #isCurrent({ version, readAt }: RunningRead<T>): boolean {
    return version === this.#reads.version && readAt >= this.#reads.staleBefore;
  }

  #readNow(key: string, ask: () => Promise<T | null>, before?: RunningRead<T>): Promise<T | null> {
    const { version, hearsChanges } = this.#reads;
    const readAt = performance.now();
    const asked = this.#reads.askDatabase(ask).then((value) => {
      if (hearsChanges) this.#keep(key, { value, readAt }, version);
      return value;
    });
    // The read before it may still answer first.
    const answers = before && this.#isCurrent(before) ? [before.answer, asked] : [asked];
    const answer = Promise.any(answers)
      .catch(({ errors }: AggregateError) => Promise.reject(errors.at(-1)))
      .finally(() => {
        if (this.#running.get(key)?.answer === answer) this.#running.delete(key);
      });
    this.#running.set(key, { version, readAt, answer });
    return answer;
  }

  #keep(key: string, entry: CacheEntry<T>, version: number): void {
    const { value } = entry;
    if (value === null) {
      this.#found.delete(key);
      if (this.#clearedMissing <= version) this.#missing.set(key, entry);
    } else if (this.#mayKeep(value, key, version) && this.#cleared <= version) this.#found.set(key, entry);
  }
}

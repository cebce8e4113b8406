import type { ChangeFeed } from '../db/change/feed.ts';
import { DatabaseAway } from '../db/errors.ts';
import { TIMED_OUT, withTimeout } from '../shared/timeout.ts';

/** How long an unknown name is fresh, in milliseconds: not all new records are announced. */
const MISSING_FRESH_FOR = 900;
/** How long other entries are fresh, in milliseconds: changes made by hand are in no log. */
const FRESH_FOR = 60_000;
/** How long a visit waits for the renewal of an old entry, or for the read of another visit, in milliseconds. */
const RENEWAL_TIMEOUT = 200;
/** How long a visit waits for the reads of others altogether, in milliseconds. */
const READ_TIMEOUT = 2_000;
/** How many visits may wait for a database that does not answer; more are refused at once. */
const MAX_WAITING = 20;

/** A cache entry; null for something that does not exist. */
export interface CacheEntry<T> {
  readonly value: T | null;
  readonly readAt: number;
}

/** A running read, and the version before it. */
export interface RunningRead<T> {
  readonly version: number;
  readonly readAt: number;
  readonly answer: Promise<T | null>;
}

/** A read of the database. Concurrent calls with the same key share it, but do not wait for long. */
export interface Read<T> {
  readonly running: Map<string, RunningRead<T>>;
  readonly key: string;
  /** The cache's entry. */
  cached(): CacheEntry<T> | null | undefined;
  ask(): Promise<T | null>;
  /** Receives the new entry, and the version before the read. */
  keep(entry: CacheEntry<T>, version: number): void;
}

/**
 * Reads of the database for a cache. Concurrent calls with the same key share one read; while the database is down, cached
 * entries stay valid, and few calls wait.
 */
export class CoalescedReads {
  readonly #feed: ChangeFeed;
  /** Incremented with each change. A result is not cached if its record has changed since the read began. */
  #version = 0;
  #waiting = 0;

  constructor(feed: ChangeFeed) {
    this.#feed = feed;
  }

  /** Notes a change, and returns the version after it. */
  changed(): number {
    return ++this.#version;
  }

  /** Runs a query, unless the database is down and too many already wait for it. */
  async askDatabase<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#feed.away && this.#waiting >= MAX_WAITING)
      throw new DatabaseAway('the database does not answer');
    this.#waiting++;
    return ask().finally(() => {
      this.#waiting--;
    });
  }

  /** Whether an entry needs no read: for some time, and while the database is down. */
  isFresh({ value, readAt }: CacheEntry<unknown>): boolean {
    if (this.#feed.away) return true;
    return performance.now() - readAt < (value === null ? MISSING_FRESH_FOR : FRESH_FOR);
  }

  /**
   * The cached value, or else that of the database. If the database does not answer soon, an old entry is used; an old entry for
   * an unknown name only with `missingServes`.
   */
  async find<T>(read: Read<T>, missingServes = false): Promise<T | null> {
    const known = read.cached();
    if (known && this.isFresh(known)) return known.value;
    const asked = this.#read(read);
    if (!known || (known.value === null && !missingServes)) return asked;
    const { value } = known;
    const found = await withTimeout(
      RENEWAL_TIMEOUT,
      asked.catch(() => value),
    );
    return found === TIMED_OUT ? value : found;
  }

  /** @throws DatabaseAway if the database does not answer in time, or its own error */
  async #read<T>(read: Read<T>): Promise<T | null> {
    const deadline = performance.now() + READ_TIMEOUT;
    let failed = false;
    /** Earlier reads may still answer. */
    const joined = new Set<RunningRead<T>>();
    for (;;) {
      const other = read.running.get(read.key);
      // A read from before a change may not know of it, and a slow one may be on a broken connection.
      if (other?.version !== this.#version || performance.now() - other.readAt >= RENEWAL_TIMEOUT)
        return this.#readNow(read);
      try {
        joined.add(other);
        const answers = [...joined]
          .filter(({ version }) => version === this.#version)
          .map(({ answer }) => answer);
        const found = await this.askDatabase(() => withTimeout(RENEWAL_TIMEOUT, Promise.any(answers)));
        if (found !== TIMED_OUT) return found;
      } catch (error) {
        // The first failure may be that of a connection.
        if (failed) throw error instanceof AggregateError ? error.errors.at(-1) : error;
        failed = true;
      }
      const known = read.cached();
      // An old entry of an unknown name was refused before.
      if (known?.value && this.isFresh(known)) return known.value;
      if (performance.now() >= deadline) throw new DatabaseAway('the database did not answer in time');
    }
  }

  #readNow<T>({ running, key, ask, keep }: Read<T>): Promise<T | null> {
    const version = this.#version;
    const readAt = performance.now();
    // Changes by others are announced only from the first poll on.
    const { hasBegun } = this.#feed;
    const answer = this.askDatabase(ask)
      .then((value) => {
        if (hasBegun) keep({ value, readAt }, version);
        return value;
      })
      .finally(() => {
        if (running.get(key)?.answer === answer) running.delete(key);
      });
    running.set(key, { version, readAt, answer });
    return answer;
  }
}

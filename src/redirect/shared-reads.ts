import type { Revisions } from '../db/change/revisions.ts';
import { DatabaseAway } from '../db/connection/errors.ts';
import { LATE, within } from '../shared/timeout.ts';

/** How long an unknown name is cached, in milliseconds: not all new records are announced. */
const MISSING_FOR = 900;
/** How long other entries are cached, in milliseconds: changes made by hand are in no log. */
const TRUSTED_FOR = 60_000;
/** How long a visit waits for the renewal of an old entry, or for the read of another visit, in milliseconds. */
const LOOKED_AGAIN_WITHIN = 200;
/** How long a visit waits for the reads of others altogether, in milliseconds. */
const READ_WITHIN = 2_000;
/** How many visits may wait for a database that does not answer; more are refused at once. */
const MAX_WAITING = 20;

/** A cache entry; null for something that does not exist. */
export interface Remembered<T> {
  readonly value: T | null;
  readonly readAt: number;
}

/** A running read, and the number of the last change before it. */
export interface Running<T> {
  readonly at: number;
  readonly readAt: number;
  readonly answer: Promise<T | null>;
}

/** A read of the database. Others who ask for the same key meanwhile wait for it, but not for long. */
export interface Read<T> {
  readonly running: Map<string, Running<T>>;
  readonly key: string;
  /** The cache's entry. */
  known(): Remembered<T> | null | undefined;
  ask(): Promise<T | null>;
  /** Receives the value, and the number of the last change before the read. */
  remember(remembered: Remembered<T>, at: number): void;
}

/**
 * Reads of the database for a cache. One read serves all who ask for the same key at that time; while the database is down, what
 * is cached stays valid, and few wait.
 */
export class SharedReads {
  readonly #revisions: Revisions;
  /** Raised with each change. A result that was read before a change that concerns it is not cached. */
  #now = 0;
  #waiting = 0;

  constructor(revisions: Revisions) {
    this.#revisions = revisions;
  }

  /** Notes a change, and returns its number. */
  changed(): number {
    return ++this.#now;
  }

  /** Runs a query, unless the database is down and too many already wait for it. */
  async askDatabase<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#revisions.away && this.#waiting >= MAX_WAITING)
      throw new DatabaseAway('the database does not answer');
    this.#waiting++;
    return ask().finally(() => {
      this.#waiting--;
    });
  }

  /** Whether an entry is valid: for some time, and while the database is down. */
  isTrusted({ value, readAt }: Remembered<unknown>): boolean {
    if (this.#revisions.away) return true;
    return performance.now() - readAt < (value === null ? MISSING_FOR : TRUSTED_FOR);
  }

  /**
   * The cached value, or else that of the database. If the database does not answer soon, an old entry is used; an old entry for
   * an unknown name only with `missingServes`.
   */
  async lookUp<T>(read: Read<T>, missingServes = false): Promise<T | null> {
    const known = read.known();
    if (known && this.isTrusted(known)) return known.value;
    const asked = this.#read(read);
    if (!known || (known.value === null && !missingServes)) return asked;
    const { value } = known;
    const found = await within(
      LOOKED_AGAIN_WITHIN,
      asked.catch(() => value),
    );
    return found === LATE ? value : found;
  }

  /** @throws DatabaseAway if the database does not answer in time, or its own error */
  async #read<T>(read: Read<T>): Promise<T | null> {
    const deadline = performance.now() + READ_WITHIN;
    let failed = false;
    /** Earlier reads may still answer. */
    const joined = new Set<Running<T>>();
    for (;;) {
      const other = read.running.get(read.key);
      // A read from before a change may not know of it, and a slow one may be on a broken connection.
      if (other?.at !== this.#now || performance.now() - other.readAt >= LOOKED_AGAIN_WITHIN)
        return this.#readNow(read);
      try {
        joined.add(other);
        const answers = [...joined].filter(({ at }) => at === this.#now).map(({ answer }) => answer);
        const found = await this.askDatabase(() => within(LOOKED_AGAIN_WITHIN, Promise.any(answers)));
        if (found !== LATE) return found;
      } catch (error) {
        // The first failure may be that of a connection.
        if (failed) throw error instanceof AggregateError ? error.errors.at(-1) : error;
        failed = true;
      }
      const known = read.known();
      // An old entry of an unknown name was refused before.
      if (known?.value && this.isTrusted(known)) return known.value;
      if (performance.now() >= deadline) throw new DatabaseAway('the database did not answer in time');
    }
  }

  #readNow<T>({ running, key, ask, remember }: Read<T>): Promise<T | null> {
    const at = this.#now;
    const readAt = performance.now();
    // Changes by others are announced only from the first poll on.
    const { hasBegun } = this.#revisions.feed;
    const answer = this.askDatabase(ask)
      .then((value) => {
        if (hasBegun) remember({ value, readAt }, at);
        return value;
      })
      .finally(() => {
        if (running.get(key)?.answer === answer) running.delete(key);
      });
    running.set(key, { at, readAt, answer });
    return answer;
  }
}

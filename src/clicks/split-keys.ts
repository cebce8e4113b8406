import { randomBytes } from 'node:crypto';
import { type Day, dayOf, daysAfter } from '../db/statistics/calendar.ts';
import { makeSplitKey } from '../domain/rule/split.ts';
import { singleFlight } from '../engine/tools/single-flight.ts';
import { TIMED_OUT, withTimeout } from '../engine/tools/timeout.ts';

/** The hour of the day from which the salt of the next day is read ahead. */
const READ_AHEAD_FROM = 23;
/** Milliseconds between two looks, between two attempts, and for which a visit waits for the first one. */
const LOOK_INTERVAL = 30_000;
const RETRY_AFTER = 1_000;
const READ_TIMEOUT = 500;

/** The key by which splits of a day are divided. */
export interface SplitKey {
  readonly key: string;
  /** False for a key that only this process has. */
  readonly isShared: boolean;
}

/** Reads the salt of a day, which all processes share; null if the day is over. */
export type ReadSalt = (day: Day) => Promise<string | null>;

/**
 * The keys of splits: under the salts of the days, which all processes read from the database. The salt of the next day is read an
 * hour ahead, so that a primary that is away at midnight changes nothing. Without the salt, a process uses a key of its own until
 * it has it.
 */
export class SplitKeys {
  readonly #read: ReadSalt;
  readonly #now: () => Date;
  readonly #shared = new Map<Day, SplitKey>();
  #own: { readonly day: Day; readonly key: SplitKey } | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** The time from which the salts may be read again, by `performance.now()`. */
  #retryAt = 0;

  constructor(read: ReadSalt, now: () => Date) {
    this.#read = read;
    this.#now = now;
  }

  /** The key of a time. */
  at(time: Date): SplitKey {
    const day = dayOf(time);
    if (time.getUTCHours() >= READ_AHEAD_FROM && !this.#shared.has(daysAfter(day, 1))) this.#look();
    const shared = this.#shared.get(day);
    if (shared !== undefined) return shared;
    this.#look();
    if (this.#own?.day !== day)
      this.#own = { day, key: { key: makeSplitKey(randomBytes(32).toString('base64url')), isShared: false } };
    return this.#own.key;
  }

  /** True if `prepare` may find the key of a time, which is not known yet. */
  isMissing(time: Date): boolean {
    return !this.#shared.has(dayOf(time)) && performance.now() >= this.#retryAt;
  }

  /** Reads the salts, for a visit that needs them; waits only shortly. */
  async prepare(): Promise<void> {
    if ((await withTimeout(READ_TIMEOUT, this.work())) === TIMED_OUT)
      this.#retryAt = performance.now() + RETRY_AFTER;
  }

  #look(): void {
    if (performance.now() >= this.#retryAt) void this.work();
  }

  /** Reads the salts of today and, late, of tomorrow, and forgets earlier ones. A failure is left to the next look. */
  readonly work = singleFlight(async (): Promise<void> => {
    const now = this.#now();
    const today = dayOf(now);
    const wanted = now.getUTCHours() >= READ_AHEAD_FROM ? [today, daysAfter(today, 1)] : [today];
    for (const day of this.#shared.keys()) if (day < today) this.#shared.delete(day);
    for (const day of wanted) {
      if (this.#shared.has(day)) continue;
      const salt = await this.#read(day).catch(() => null);
      if (salt !== null) this.#shared.set(day, { key: makeSplitKey(salt), isShared: true });
      else this.#retryAt = performance.now() + RETRY_AFTER;
    }
  });

  /** Looks now and then. The first visit that needs a key asks by itself: a start waits for no database. */
  start(): void {
    this.#timer = setInterval(() => this.work(), LOOK_INTERVAL).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
  }
}

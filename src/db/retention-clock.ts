import type { Logger } from 'pino';
import { singleFlight } from '../shared/single-flight.ts';
import type { Data } from './database.ts';
import { sql } from './sql.ts';
import { type Day, daysAfter, startOf } from './statistics/calendar.ts';

/** Up to which difference from the last run a clock is trusted, and for how long it is not after a larger one, in milliseconds. */
const MAX_LEAP = 2 * 86_400_000;
const HELD_FOR = 86_400_000;
/** How old the stored time of the last run may become, in milliseconds. */
const STORE_INTERVAL = 10 * 60_000;

/** The row of the table. */
const name = 'retention';

/** The time by which old records are deleted; null while nothing may be deleted. */
export type RetentionTime = () => Promise<Date | null> | Date | null;

/**
 * The clock by which old records are deleted. If it has moved by more than two days since the last run that this process did not
 * live through, the service had a long rest, or the clock is wrong: nothing is deleted for a day, also after a restart.
 */
export class RetentionClock {
  readonly #db: Data;
  readonly #now: () => Date;
  readonly #log: Logger;
  readonly #uptime: () => number;
  /** When this process last looked, by `uptime`. */
  #lookedAt: number;
  #isHeld = false;

  /** @param uptime milliseconds by a monotonic clock */
  constructor(db: Data, now: () => Date, log: Logger, uptime: () => number = () => performance.now()) {
    this.#db = db;
    this.#now = now;
    this.#log = log;
    this.#uptime = uptime;
    this.#lookedAt = uptime();
  }

  /** The time; null while it is not trusted. */
  readonly read = singleFlight(() => this.#read());

  async #read(): Promise<Date | null> {
    const [now, uptime] = [this.#now(), this.#uptime()];
    const kept = await this.#db.prisma.retentionClock.findUnique({ where: { name } });
    const last = kept?.at ?? (await this.#lastKnown()) ?? now;
    const moved = now.getTime() - last.getTime();
    const leapt = moved - (uptime - this.#lookedAt) > MAX_LEAP || moved < -MAX_LEAP;
    const since = leapt ? now : (kept?.heldSince ?? null);
    const until = since && new Date(since.getTime() + HELD_FOR);
    const isHeld = until !== null && now < until;
    if (leapt || isHeld !== (kept?.heldSince != null) || Math.abs(moved) >= STORE_INTERVAL || kept === null) {
      const row = { at: now, heldSince: isHeld ? since : null };
      await this.#db.prisma.retentionClock.upsert({ where: { name }, create: { name, ...row }, update: row });
    }
    this.#lookedAt = uptime;
    if (isHeld && (leapt || !this.#isHeld))
      this.#log.warn(
        { last, now, until },
        'old records are not deleted for a day: the service had a rest of more than two days, or the clock is wrong',
      );
    else if (this.#isHeld && !isHeld) this.#log.info('old records are deleted again');
    this.#isHeld = isHeld;
    return isHeld ? null : now;
  }

  /** When the service ran last, by the last day whose visitors it deleted; null in a new database. */
  async #lastKnown(): Promise<Date | null> {
    const [row] = await this.#db.read<{ number: Day }>(
      sql`SELECT "number" FROM "Revision" WHERE "topic" = 'visitors' AND "number" > 0`,
    );
    return row ? startOf(daysAfter(row.number, 1)) : null;
  }
}

import type { Logger } from 'pino';
import { singleFlight } from '../tools/single-flight.ts';
import type { Data } from './database.ts';
import { sql } from './sql.ts';

/** Maximum age of the stored time of the last run, in milliseconds. */
const STORE_INTERVAL = 10 * 60_000;

/** The largest leap up to which a clock is trusted, and the time for which it is not trusted after a larger one. */
export interface Trust {
  /** The row of the table. */
  readonly name: string;
  /** In milliseconds, as is `heldFor`. */
  readonly maxLeap: number;
  readonly heldFor: number;
  /** Continues the logged sentences. */
  readonly what: string;
  readonly rest: string;
  readonly pause: string;
  /** Returns the time of the last run if the row is missing. */
  lastKnown(db: Data): Promise<Date | null>;
}

/** For what is kept for months. */
export const RECORDS: Omit<Trust, 'lastKnown'> = {
  ...{ name: 'retention', maxLeap: 2 * 86_400_000, heldFor: 86_400_000 },
  ...{ what: 'old records are', rest: 'two days', pause: 'a day' },
};

/** For answers to writes with an idempotency key, which are kept for a day. */
export const ANSWERS: Trust = {
  ...{ name: 'answers', maxLeap: 3_600_000, heldFor: 3_600_000 },
  ...{ what: 'answers to writes with a key are', rest: 'an hour', pause: 'an hour' },
  lastKnown: async () => null,
};

/** The time by which old records are deleted; null while nothing may be deleted. */
export type RetentionTime = () => Promise<Date | null> | Date | null;

/**
 * The clock by which old records are deleted. If it has moved by more than its maximum since the last run that this process did
 * not live through, the service had a long rest, or the clock is wrong: nothing is deleted for a while, also after a restart.
 */
export class RetentionClock {
  readonly #db: Data;
  readonly #now: () => Date;
  readonly #log: Logger;
  readonly #uptime: () => number;
  readonly #trust: Trust;
  /** Time of this process's last look, by `uptime`. */
  #lookedAt: number;
  #isHeld = false;

  /** @param uptime milliseconds by a monotonic clock */
  constructor(
    db: Data,
    trust: Trust,
    now: () => Date,
    log: Logger,
    uptime: () => number = () => performance.now(),
  ) {
    this.#db = db;
    this.#now = now;
    this.#log = log;
    this.#uptime = uptime;
    this.#trust = trust;
    this.#lookedAt = uptime();
  }

  /** The time; null while it is not trusted. */
  readonly read = singleFlight(() => this.#read());

  async #read(): Promise<Date | null> {
    const [now, uptime] = [this.#now(), this.#uptime()];
    const { name, maxLeap, heldFor, what, rest, pause, lastKnown } = this.#trust;
    const [kept] = await this.#db.read<{ at: Date; heldSince: Date | null }>(
      sql`SELECT "at", "heldSince" FROM "RetentionClock" WHERE "name" = ${name}`,
    );
    const last = kept?.at ?? (await lastKnown(this.#db)) ?? now;
    const moved = now.getTime() - last.getTime();
    const leapt = moved - (uptime - this.#lookedAt) > maxLeap || moved < -maxLeap;
    const since = leapt ? now : (kept?.heldSince ?? null);
    const until = since && new Date(since.getTime() + heldFor);
    const isHeld = until !== null && now < until;
    if (leapt || isHeld !== (kept?.heldSince != null) || Math.abs(moved) >= STORE_INTERVAL || !kept)
      await this.#db.execute(sql`
        INSERT INTO "RetentionClock" ("name", "at", "heldSince") VALUES (${name}, ${now}, ${isHeld ? since : null})
        ON CONFLICT ("name") DO UPDATE SET "at" = excluded."at", "heldSince" = excluded."heldSince"`);
    this.#lookedAt = uptime;
    if (isHeld && (leapt || !this.#isHeld))
      this.#log.warn(
        { last, now, until },
        `${what} not deleted for ${pause}: the service had a rest of more than ${rest}, or the clock is wrong`,
      );
    else if (this.#isHeld && !isHeld) this.#log.info(`${what} deleted again`);
    this.#isHeld = isHeld;
    return isHeld ? null : now;
  }
}

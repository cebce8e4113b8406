import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RetentionTime } from './retention-clock.ts';

/** Work that is done in batches, with pauses between them, until it is stopped. A job of `jobs.ts` begins it. */
export abstract class BatchWork {
  protected readonly log: Logger;
  readonly #pause: number;
  #stopped = false;

  /** @param pause milliseconds between two batches */
  constructor(log: Logger, pause: number) {
    this.log = log;
    this.#pause = pause;
  }

  /** Does all that there is to do now. */
  abstract work(): Promise<void>;

  /** Begins no further batch. */
  stop(): void {
    this.#stopped = true;
  }

  protected get isStopped(): boolean {
    return this.#stopped;
  }

  protected async untilNone(doSome: () => Promise<boolean>): Promise<void> {
    while (!this.#stopped && (await doSome())) await setTimeout(this.#pause);
  }
}

/** Deletes old records. */
export abstract class Retention extends BatchWork {
  /** Deletes everything that is too old now. */
  abstract deleteOld(): Promise<void>;

  override work(): Promise<void> {
    return this.deleteOld();
  }
}

interface AgeOptions {
  /** After how many milliseconds a record is deleted; 0 for never. */
  readonly maxAge: number;
  readonly now: RetentionTime;
  /** Deletes some records from before a time; returns whether there may be more. */
  readonly deleteSome: (before: Date) => Promise<boolean>;
}

export class AgeRetention extends Retention {
  readonly #age: AgeOptions;

  constructor(log: Logger, age: AgeOptions) {
    super(log, 100);
    this.#age = age;
  }

  override async deleteOld(): Promise<void> {
    const { maxAge, now, deleteSome } = this.#age;
    if (maxAge === 0) return;
    const time = await now();
    if (time === null) return;
    const before = new Date(time.getTime() - maxAge);
    await this.untilNone(() => deleteSome(before));
  }
}

import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { singleFlight } from '../tools/single-flight.ts';
import type { RetentionTime } from './retention-clock.ts';

interface PeriodicOptions {
  /** The message in the log if it fails. */
  readonly failure: string;
  /** Milliseconds between two runs, and between two batches. */
  readonly every: number;
  readonly pause: number;
}

/** Work that is done periodically, in batches. */
export abstract class Periodic {
  protected readonly log: Logger;
  readonly #options: PeriodicOptions;
  #timer: NodeJS.Timeout | undefined;
  #lastRun: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(log: Logger, options: PeriodicOptions) {
    this.log = log;
    this.#options = options;
  }

  /** Does all that there is to do now. */
  abstract work(): Promise<void>;

  protected get isStopped(): boolean {
    return this.#stopped;
  }

  protected async untilNone(doSome: () => Promise<boolean>): Promise<void> {
    while (!this.#stopped && (await doSome())) await setTimeout(this.#options.pause);
  }

  start(): void {
    this.#begin();
    this.#timer = setInterval(() => this.#begin(), this.#options.every).unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#lastRun;
  }

  readonly #run = singleFlight(() =>
    this.work().catch((error: unknown) => {
      this.log.warn({ err: error }, this.#options.failure);
    }),
  );

  #begin(): void {
    this.#lastRun = this.#run();
  }
}

interface RetentionOptions extends Omit<PeriodicOptions, 'failure'> {
  readonly what: string;
}

/** Deletes old records periodically. */
export abstract class Retention extends Periodic {
  constructor(log: Logger, { what, ...options }: RetentionOptions) {
    super(log, { ...options, failure: `old ${what} could not be deleted` });
  }

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

  constructor(log: Logger, what: Pick<RetentionOptions, 'what' | 'every'>, age: AgeOptions) {
    super(log, { ...what, pause: 100 });
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

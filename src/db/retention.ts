import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';

interface RetentionOptions {
  /** What it deletes, for the log. */
  readonly what: string;
  /** How often it runs, and how long it pauses between two batches, in milliseconds. */
  readonly every: number;
  readonly pause: number;
}

/** Deletes old records periodically, in batches. */
export abstract class Retention {
  readonly #log: Logger;
  readonly #options: RetentionOptions;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> | null = null;
  #stopped = false;

  constructor(log: Logger, options: RetentionOptions) {
    this.#log = log;
    this.#options = options;
  }

  /** Deletes everything that is too old now. */
  abstract deleteOld(): Promise<void>;

  protected get isStopped(): boolean {
    return this.#stopped;
  }

  /** Deletes batches until none is left. */
  protected async untilNone(deleteSome: () => Promise<boolean>): Promise<void> {
    while (!this.#stopped && (await deleteSome())) await setTimeout(this.#options.pause);
  }

  start(): void {
    this.#begin();
    this.#timer = setInterval(() => this.#begin(), this.#options.every).unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#working;
  }

  #begin(): void {
    this.#working ??= this.deleteOld()
      .catch((error: unknown) => {
        this.#log.warn({ err: error }, `old ${this.#options.what} could not be deleted`);
      })
      .finally(() => {
        this.#working = null;
      });
  }
}

import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from './connection/client.ts';
import { deleteOldAnswers } from './kept-answers.ts';

/** How often it looks for old answers, and how long it lets others have their turn between two batches, in milliseconds. */
const EVERY = 10 * 60 * 1000;
const BREAK = 100;

/** Deletes the answers that were kept for long enough. */
export class AnswerRetention {
  readonly #db: Db;
  readonly #keptFor: number;
  readonly #now: () => Date;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #stopped = false;

  /** @param keptFor in milliseconds */
  constructor(db: Db, keptFor: number, now: () => Date, log: Logger) {
    this.#db = db;
    this.#keptFor = keptFor;
    this.#now = now;
    this.#log = log;
  }

  start(): void {
    const begin = () => {
      this.#working = this.deleteOld().catch((error: unknown) => {
        this.#log.warn({ err: error }, 'old answers could not be deleted');
      });
    };
    begin();
    this.#timer = setInterval(begin, EVERY).unref();
  }

  /** Deletes all that is too old now. */
  async deleteOld(): Promise<void> {
    const before = new Date(this.#now().getTime() - this.#keptFor);
    while (!this.#stopped && (await deleteOldAnswers(this.#db, before))) await setTimeout(BREAK);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#working;
  }
}

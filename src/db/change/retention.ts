import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db } from '../connection/client.ts';
import { deleteOldChanges } from './log.ts';

const DAY = 24 * 60 * 60 * 1000;
/** How often it looks for old changes, and how long it lets others have their turn between two batches, in milliseconds. */
const EVERY = 60 * 60 * 1000;
const BREAK = 100;

/** Deletes changes that are older than so many days. */
export class ChangeRetention {
  readonly #db: Db;
  readonly #days: number;
  readonly #now: () => Date;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #working: Promise<void> = Promise.resolve();
  #stopped = false;

  /** @param days 0 keeps all */
  constructor(db: Db, days: number, now: () => Date, log: Logger) {
    this.#db = db;
    this.#days = days;
    this.#now = now;
    this.#log = log;
  }

  start(): void {
    if (this.#days === 0) return;
    const begin = () => {
      this.#working = this.deleteOld().catch((error: unknown) => {
        this.#log.warn({ err: error }, 'old changes could not be deleted');
      });
    };
    begin();
    this.#timer = setInterval(begin, EVERY).unref();
  }

  /** Deletes all that is too old now. */
  async deleteOld(): Promise<void> {
    const before = new Date(this.#now().getTime() - this.#days * DAY);
    while (!this.#stopped && (await deleteOldChanges(this.#db, before))) await setTimeout(BREAK);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    await this.#working;
  }
}

import type { Logger } from 'pino';

/** Milliseconds between two log lines about a fault that lasts. */
const LOG_INTERVAL = 60_000;

/** Logs a fault that occurs again and again: the first time, then once a minute with the number of times, and its end. */
export class RepeatedFault {
  readonly #log: Logger;
  readonly #message: string;
  readonly #endsAfter: number | undefined;
  #times = 0;
  #loggedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param endsAfter after how many milliseconds without the fault it counts as ended, if a success does not show that: while
   * the disk of a database is full, reads succeed and writes fail
   */
  constructor(log: Logger, message: string, endsAfter?: number) {
    this.#log = log;
    this.#message = message;
    this.#endsAfter = endsAfter;
  }

  /** @param details what else is logged; @param now milliseconds by a monotonic clock */
  occurred(err: unknown, details: () => object = () => ({}), now = performance.now()): void {
    this.#times++;
    if (this.#endsAfter !== undefined) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.ended(), this.#endsAfter).unref();
    }
    if (this.#times > 1 && now - this.#loggedAt < LOG_INTERVAL) return;
    this.#loggedAt = now;
    this.#log.warn({ err, times: this.#times, ...details() }, this.#message);
  }

  /** Call it whenever the work succeeds. */
  ended(): void {
    if (this.#times > 0) this.#log.info({ times: this.#times }, `no longer: ${this.#message}`);
    this.#times = 0;
  }
}

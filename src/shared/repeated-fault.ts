import type { Logger } from 'pino';

/** How often a fault that lasts is logged, in milliseconds. */
const LOGGED_EVERY = 60_000;

/** Logs a fault that comes again and again: the first time, then once a minute with how often it came, and its end. */
export class RepeatedFault {
  readonly #log: Logger;
  readonly #message: string;
  #times = 0;
  #loggedAt = 0;

  constructor(log: Logger, message: string) {
    this.#log = log;
    this.#message = message;
  }

  /** @param details what else is logged; @param now milliseconds by a monotonic clock */
  came(err: unknown, details: () => object = () => ({}), now = performance.now()): void {
    this.#times++;
    if (this.#times > 1 && now - this.#loggedAt < LOGGED_EVERY) return;
    this.#loggedAt = now;
    this.#log.warn({ err, times: this.#times, ...details() }, this.#message);
  }

  /** Call it whenever the work succeeds. */
  ended(): void {
    if (this.#times > 0) this.#log.info({ times: this.#times }, `no longer: ${this.#message}`);
    this.#times = 0;
  }
}

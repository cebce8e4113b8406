import type { Logger } from 'pino';
import { blockOf } from '../domain/visit/ip-network.ts';

/** A way to sign in; `link` is that of an invitation, a reset or the first owner. */
export type LoggedWay = 'password' | 'passkey' | 'openid' | 'link';

/** The result of an attempt: `limited` ones were too many, and `failed` is the service's own fault. */
export type SignInOutcome = 'ok' | 'refused' | 'limited' | 'failed';

export interface SignInAttempt {
  readonly outcome: SignInOutcome;
  readonly way: LoggedWay;
  /** The user, if one is known; never what was typed. */
  readonly user: number | null;
  readonly address: string;
  /** More for the log. */
  readonly details?: object;
}

const WINDOW = 60_000;
/** The most lines in a window, for a network and in all. */
const MAX_OF_NETWORK = 10;
const MAX_IN_ALL = 300;

interface Lines {
  written: number;
  left: number;
}

/** Writes a line for each attempt to sign in, up to a limit in a minute; then one line with how many were left out. */
export class SignInLog {
  readonly #log: Logger;
  readonly #now: () => Date;
  /** The time at which the window began, in milliseconds; null before the first attempt. */
  #since: number | null = null;
  #written = 0;
  /** Left out since there were too many in all. */
  #left = 0;
  readonly #networks = new Map<string | null, Lines>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Logger, now: () => Date) {
    this.#log = log;
    this.#now = now;
  }

  attempt({ outcome, way, user, address, details }: SignInAttempt): void {
    this.#begin();
    const network = blockOf(address);
    if (this.#written >= MAX_IN_ALL && !this.#networks.has(network)) {
      this.#left++;
      return;
    }
    const lines = this.#networks.get(network) ?? { written: 0, left: 0 };
    this.#networks.set(network, lines);
    if (this.#written >= MAX_IN_ALL || lines.written >= MAX_OF_NETWORK) {
      lines.left++;
      return;
    }
    lines.written++;
    this.#written++;
    this.#log.info({ outcome, way, user, network, ...details }, 'sign-in');
  }

  #begin(): void {
    const now = this.#now().getTime();
    // A clock that goes back begins another window.
    if (this.#since !== null && now >= this.#since && now - this.#since < WINDOW) return;
    this.flush();
    this.#since = now;
    this.#timer = setTimeout(() => this.flush(), WINDOW).unref();
  }

  /** Ends the window, and writes how many attempts were left out. */
  flush(): void {
    clearTimeout(this.#timer);
    for (const [network, { left }] of this.#networks) if (left > 0) this.#tell(left, { network });
    if (this.#left > 0) this.#tell(this.#left, {});
    this.#networks.clear();
    this.#since = null;
    this.#written = 0;
    this.#left = 0;
  }

  #tell(count: number, where: object): void {
    this.#log.info({ count, ...where }, 'sign-ins were not logged one by one');
  }

  start(): void {}

  stop(): void {
    this.flush();
  }
}

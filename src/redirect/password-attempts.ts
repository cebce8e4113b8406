import { LRUCache } from 'lru-cache';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { verifyPassword } from '../domain/password.ts';
import { networkOf } from '../domain/visit/ip-network.ts';
import { ClientSlots } from '../http/limits/client-slots.ts';
import { growingTo } from '../shared/growing-cache.ts';
import { TIMED_OUT, withTimeout } from '../shared/timeout.ts';

/** The maximum number of wrong passwords per address and minute, for one link and for all. */
const MAX_GUESSES = 5;
const MAX_GUESSES_IN_ALL = 30;
const A_MINUTE = 60_000;
/**
 * How many passwords are checked or wait for their turn: one takes a tenth of a second of a core. `MAX_GUESSES_IN_ALL` limits those
 * of one address, so that seven are needed to take all places.
 */
const MAX_CHECKS = 200;
/** How many passwords of one address wait for others in progress, and for how long, in milliseconds. */
const MAX_WAITING = 50;
const WAIT_TIMEOUT = 5_000;
/** How many guessers are remembered; those that did not guess for longest are forgotten first. */
const MAX_GUESSERS = 20_000;

interface Guesser {
  wrong: number;
  /** Until when the wrong guesses count. */
  until: number;
  checking: number;
  readonly waiting: Set<() => void>;
}

/**
 * Limits wrong guesses. Each check in progress may turn out to be one, so at most as many run as guesses are left: concurrent
 * attempts cannot exceed the limit. Further ones wait, since those in progress may be right.
 */
class GuessLimit {
  readonly #max: number;
  readonly #resetsOnSuccess: boolean;
  readonly #guessers = new LRUCache<string, Guesser>(growingTo(MAX_GUESSERS));

  /** @param resetsOnSuccess whether a right password resets the count */
  constructor(max: number, resetsOnSuccess: boolean) {
    this.#max = max;
    this.#resetsOnSuccess = resetsOnSuccess;
  }

  /** @throws RateLimiterRes */
  async check(key: string, isRight: () => Promise<boolean>): Promise<boolean> {
    const guesser = this.#guessers.get(key) ?? { wrong: 0, until: 0, checking: 0, waiting: new Set() };
    this.#guessers.set(key, guesser);
    await this.#begin(guesser);
    try {
      const right = await isRight();
      if (!right) countWrong(guesser);
      else if (this.#resetsOnSuccess) guesser.until = 0;
      return right;
    } finally {
      guesser.checking--;
      for (const resume of guesser.waiting) resume();
    }
  }

  /** Waits until a check may be in progress, and counts it as one. */
  async #begin(guesser: Guesser): Promise<void> {
    const latest = performance.now() + WAIT_TIMEOUT;
    while (wrongGuessesOf(guesser) + guesser.checking >= this.#max) {
      const now = performance.now();
      if (wrongGuessesOf(guesser) >= this.#max) throw new RateLimiterRes(0, guesser.until - now);
      if (guesser.waiting.size >= MAX_WAITING) throw new RateLimiterRes(0, 0);
      const { promise, resolve } = Promise.withResolvers<void>();
      guesser.waiting.add(resolve);
      const ended = await withTimeout(latest - now, promise);
      guesser.waiting.delete(resolve);
      if (ended === TIMED_OUT) throw new RateLimiterRes(0, 0);
    }
    guesser.checking++;
  }
}

function wrongGuessesOf({ wrong, until }: Guesser): number {
  return performance.now() < until ? wrong : 0;
}

/** The minute begins with its first wrong guess. */
function countWrong(guesser: Guesser): void {
  const before = wrongGuessesOf(guesser);
  if (before === 0) guesser.until = performance.now() + A_MINUTE;
  guesser.wrong = before + 1;
}

export class PasswordChecks {
  readonly #ofOne = new GuessLimit(MAX_GUESSES, true);
  readonly #inAll = new GuessLimit(MAX_GUESSES_IN_ALL, false);
  readonly #checks = new ClientSlots(MAX_CHECKS);

  /**
   * Whether the password is right.
   * @param what identifies the owner of the password
   * @throws RateLimiterRes, NoFreeSlot
   */
  isRight(password: string, { what, hash }: { what: string; hash: string }, address: string) {
    const network = networkOf(address);
    const verify = () =>
      this.#checks.take(network, () => verifyPassword(`network ${network}`, password, hash));
    return this.#ofOne.check(`${what} ${network}`, () => this.#inAll.check(network, verify));
  }
}

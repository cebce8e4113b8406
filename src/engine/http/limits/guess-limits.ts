import { LRUCache } from 'lru-cache';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { growingTo } from '../../tools/growing-cache.ts';
import { nameFor } from '../../tools/name-for.ts';
import { Turns } from '../../tools/turns.ts';

/** The maximum number of wrong passwords per network and minute, for one owner of a password and for all. */
const MAX_GUESSES = 5;
const MAX_GUESSES_IN_ALL = 30;
const A_MINUTE = 60_000;
/** Maximum number of a network's passwords that wait for others in progress, and of milliseconds of waiting. */
const MAX_WAITING = 50;
const WAIT_TIMEOUT = 5_000;
/** Maximum number of remembered guessers; those without a recent guess are forgotten first. */
const MAX_GUESSERS = 20_000;

interface Guesses {
  readonly wrong: number;
  /** Until when they count: the minute begins with the first one. */
  readonly until: number;
}

/**
 * Limits wrong guesses. Each check in progress may turn out to be one, so at most as many run as guesses are left: concurrent
 * attempts cannot exceed the limit. Further ones wait, since those in progress may be right.
 */
class GuessLimit {
  readonly #max: number;
  readonly #resetsOnSuccess: boolean;
  readonly #guesses = new LRUCache<string, Guesses>(growingTo(MAX_GUESSERS));
  readonly #turns = new Turns({
    // One more finds that no guess is left.
    maxOfOwner: (guesser) => Math.max(1, this.#max - this.#guessesOf(guesser).wrong),
    maxWaiting: MAX_WAITING,
    timeout: WAIT_TIMEOUT,
    refusal: () => new RateLimiterRes(0, 0),
  });

  /** @param resetsOnSuccess whether a right password resets the count */
  constructor(max: number, resetsOnSuccess: boolean) {
    this.#max = max;
    this.#resetsOnSuccess = resetsOnSuccess;
  }

  /** @throws RateLimiterRes */
  async check(guesser: string, isRight: () => Promise<boolean>): Promise<boolean> {
    this.#requireGuess(guesser);
    return this.#turns.take(guesser, async () => {
      this.#requireGuess(guesser);
      const right = await isRight();
      const { wrong, until } = this.#guessesOf(guesser);
      if (!right) this.#guesses.set(guesser, { wrong: wrong + 1, until });
      else if (this.#resetsOnSuccess) this.#guesses.delete(guesser);
      return right;
    });
  }

  /** The number of guesses that are left. */
  left(guesser: string): number {
    return Math.max(0, this.#max - this.#guessesOf(guesser).wrong);
  }

  #guessesOf(guesser: string): Guesses {
    const now = performance.now();
    const known = this.#guesses.get(guesser);
    return known && now < known.until ? known : { wrong: 0, until: now + A_MINUTE };
  }

  #requireGuess(guesser: string): void {
    const { wrong, until } = this.#guessesOf(guesser);
    if (wrong >= this.#max) throw new RateLimiterRes(0, until - performance.now());
  }
}

/** Limits the wrong passwords of a network, by owner of the password and in all. */
export class GuessLimits {
  readonly #ofOne = new GuessLimit(MAX_GUESSES, true);
  readonly #inAll = new GuessLimit(MAX_GUESSES_IN_ALL, false);

  /**
   * Resolves to true if the password is right.
   * @param what identifies the owner of the password; null if there can be none
   * @throws RateLimiterRes
   */
  check(what: string | null, network: string, isRight: () => Promise<boolean>): Promise<boolean> {
    const checkInAll = () => this.#inAll.check(network, isRight);
    return what === null ? checkInAll() : this.#ofOne.check(nameFor('guess', what, network), checkInAll);
  }

  /** The number of wrong passwords after which a network has to wait. */
  left(what: string, network: string): number {
    return Math.min(this.#ofOne.left(nameFor('guess', what, network)), this.#inAll.left(network));
  }
}

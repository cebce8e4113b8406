import { RateLimiterMemory } from 'rate-limiter-flexible';
import { verifyPassword } from '../domain/password.ts';
import { Places } from '../http/limits/places.ts';
import { networkOf } from '../http/request/client.ts';

/** How many wrong passwords one address may give in a minute, for one link and for all. */
const GUESSES = 5;
const GUESSES_IN_ALL = 30;
/** How many passwords may be looked at at once: each takes a tenth of a second of a core. */
const MAX_CHECKS = 30;

/** Looks at the passwords that visitors give, and limits how many wrong ones they may. */
export class Guesses {
  readonly #ofOne = new RateLimiterMemory({ points: GUESSES, duration: 60 });
  readonly #inAll = new RateLimiterMemory({ points: GUESSES_IN_ALL, duration: 60 });
  readonly #checks = new Places(MAX_CHECKS);

  /**
   * Whether the right password came. Each attempt counts before it is looked at, so that many at once help nobody.
   * @param what whose password it is
   * @throws RateLimiterRes, NoPlace
   */
  async isRight(password: string, { what, hash }: { what: string; hash: string }, address: string) {
    const network = networkOf(address);
    const guesser = `${what} ${network}`;
    await this.#ofOne.consume(guesser);
    await this.#inAll.consume(network);
    const right = await this.#checks.take(network, () => verifyPassword(password, hash));
    if (right) await Promise.all([this.#ofOne.delete(guesser), this.#inAll.reward(network)]);
    return right;
  }
}

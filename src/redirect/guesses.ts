import { RateLimiterMemory } from 'rate-limiter-flexible';
import { verifyPassword } from '../domain/password.ts';
import { ClientSlots } from '../http/limits/places.ts';
import { networkOf } from '../http/request/client.ts';

/** The maximum number of wrong passwords per address and minute, for one link and for all. */
const GUESSES = 5;
const GUESSES_IN_ALL = 30;
/** How many passwords are checked at once: each takes a tenth of a second of a core. */
const MAX_CHECKS = 30;

/** Checks visitors' passwords, and limits wrong ones. */
export class PasswordChecks {
  readonly #ofOne = new RateLimiterMemory({ points: GUESSES, duration: 60 });
  readonly #inAll = new RateLimiterMemory({ points: GUESSES_IN_ALL, duration: 60 });
  readonly #checks = new ClientSlots(MAX_CHECKS);

  /**
   * Whether the password is right. Each attempt counts before it is checked, so that concurrent attempts cannot exceed the limit.
   * @param what identifies the owner of the password
   * @throws RateLimiterRes, NoFreeSlot
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

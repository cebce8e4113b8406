import { verifyPassword } from '../domain/password.ts';
import { networkName } from '../domain/visit/ip-network.ts';
import { GuessLimits } from '../engine/http/limits/guess-limits.ts';
import { Turns } from '../engine/tools/turns.ts';

/**
 * Maximum number of passwords that are checked or wait for their turn. A check takes a tenth of a second of a core.
 * `GuessLimits` allows 30 per address, so that filling all places takes seven addresses.
 */
const MAX_CHECKS = 200;

export class PasswordChecks {
  readonly #limits = new GuessLimits();
  readonly #checks = new Turns({ max: MAX_CHECKS, maxWaiting: 0 });

  /**
   * Resolves to true if the password is right.
   * @param what identifies the owner of the password
   * @throws RateLimiterRes, TooMuchWaiting
   */
  isRight(password: string, { what, hash }: { what: string; hash: string }, address: string) {
    const network = networkName(address);
    return this.#limits.check(what, network, () =>
      this.#checks.take(network, () => verifyPassword(network, password, hash)),
    );
  }

  /** The number of wrong passwords after which an address has to wait. */
  left(what: string, address: string): number {
    return this.#limits.left(what, networkName(address));
  }
}

import { verifyPassword } from '../domain/password.ts';
import { networkName } from '../domain/visit/ip-network.ts';
import { GuessLimits } from '../http/limits/guess-limits.ts';
import { Turns } from '../shared/turns.ts';

/**
 * How many passwords are checked or wait for their turn: one takes a tenth of a second of a core. `GuessLimits` limits those of one
 * address to 30, so that seven are needed to take all places.
 */
const MAX_CHECKS = 200;

export class PasswordChecks {
  readonly #limits = new GuessLimits();
  readonly #checks = new Turns({ max: MAX_CHECKS, maxWaiting: 0 });

  /**
   * Whether the password is right.
   * @param what identifies the owner of the password
   * @throws RateLimiterRes, TooMuchWaiting
   */
  isRight(password: string, { what, hash }: { what: string; hash: string }, address: string) {
    const network = networkName(address);
    return this.#limits.check(what, network, () =>
      this.#checks.take(network, () => verifyPassword(network, password, hash)),
    );
  }
}

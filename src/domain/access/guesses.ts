import type { Data } from '../../db/database.ts';
import { countFirst, countMore, type SignInGuesses } from '../../db/sign-in-guesses.ts';
import { type Asker, addFor, storedNetwork } from './strangers.ts';

/**
 * Counts a guess, or a mail, over all processes.
 * @param asker who causes it; null for what no stranger does
 * @throws DomainError RATE_LIMITED if the stranger's network has guessed for too many
 */
export async function countGuess(
  db: Data,
  emailHash: string,
  asker: Asker | null,
  now: Date,
): Promise<SignInGuesses> {
  const more = await countMore(db, emailHash, now);
  if (more !== null) return more;
  if (asker === null) return countFirst(db, emailHash, null, now);
  const first = (tx: Data) => countFirst(tx, emailHash, storedNetwork(asker), now);
  return addFor(db, 'SignInGuesses', asker, now, first);
}

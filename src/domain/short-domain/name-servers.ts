import type { Deadline } from '../../engine/tools/deadline.ts';
import { TIMED_OUT, withTimeout } from '../../engine/tools/timeout.ts';
import { Turns } from '../../engine/tools/turns.ts';
import type { Services } from '../services.ts';

/** Maximum number of concurrent look-ups of an account. */
const MAX_OF_ACCOUNT = 4;

const turns = new Turns<number>({ maxOfOwner: () => MAX_OF_ACCOUNT });

/**
 * The services of one operation. It waits for name servers for a limited time in all, without the waiting for its turn.
 * @param time in milliseconds
 * @param deadline that of the operation
 */
export function withNameServerTime(
  services: Services,
  accountId: number,
  time: number,
  deadline: Deadline,
): Services {
  let left = time;
  const ask = async (name: string) => {
    const begun = performance.now();
    const timeout = Math.min(left, deadline.left);
    try {
      const found = timeout > 0 ? await withTimeout(timeout, services.resolveTxt(name, timeout)) : TIMED_OUT;
      if (found === TIMED_OUT) throw new Error('the name servers did not answer in time');
      return found;
    } finally {
      left -= performance.now() - begun;
    }
  };
  return { ...services, resolveTxt: (name) => turns.take(accountId, () => ask(name), deadline.signal) };
}

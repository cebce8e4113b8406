import { LRUCache } from 'lru-cache';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import { Turns } from '../../shared/turns.ts';

/** How many attempts a process makes at once: those that have just begun, and those that turned out to be slow. */
const MAX_ATTEMPTS = 100;
const MAX_OVERDUE = 400;
/** How many slow receivers are remembered. */
const MAX_SLOW = 10_000;

/** After how many milliseconds an attempt gives up its slot to others, and for how long a receiver that is not slow may take. */
const OVERDUE_AFTER = 2_000;
const SLOW_AFTER = 5_000;

/**
 * Limits the attempts of a process. After a while, an attempt counts as overdue, so that it delays no others. Receivers that are
 * slow or fail need no slot: each gets one attempt at a time.
 */
export class AttemptSlots {
  readonly #attempts = new Turns({ max: MAX_ATTEMPTS });
  readonly #overdue = new Turns({ max: MAX_OVERDUE });
  /** The webhooks whose receivers took long for their last answer, or have not given it for a while. */
  readonly #slow = new LRUCache<number, true>({ max: MAX_SLOW });

  isSlow(webhookId: number): boolean {
    return this.#slow.has(webhookId);
  }

  /** Records how long an answer took, in milliseconds; returns whether it came in time. */
  recordAnswer(webhookId: number, time: number): boolean {
    if (time < SLOW_AFTER) this.#slow.delete(webhookId);
    else this.#slow.set(webhookId, true);
    return time < SLOW_AFTER;
  }

  /**
   * Makes an attempt when there is a slot for it.
   * @param isBad whether the receiver is slow or fails by then
   */
  async run<T>(webhookId: number, isBad: () => boolean, attempt: () => Promise<T>): Promise<T> {
    const begun = await this.#attempts.take('', async () => {
      if (isBad()) return null;
      const result = attempt();
      if ((await withTimeout(OVERDUE_AFTER, result)) !== TIMED_OUT) return { result };
      // Until the receiver answers, its waiting attempts need no slot.
      this.#slow.set(webhookId, true);
      const moved = Promise.withResolvers<void>();
      const wait = () => {
        moved.resolve();
        return result;
      };
      this.#overdue.take('', wait).catch(() => {
        // The caller of `run` gets the error.
      });
      await Promise.race([result, moved.promise]);
      return { result };
    });
    return begun === null ? attempt() : begun.result;
  }
}

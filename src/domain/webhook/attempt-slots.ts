import { LRUCache } from 'lru-cache';
import { TIMED_OUT, withTimeout } from '../../shared/timeout.ts';
import { Semaphore } from '../../shared/turns.ts';

/** How many attempts a process makes at once: those that have just begun, and those that turned out to be slow. */
const MAX_ATTEMPTS = 100;
const MAX_OVERDUE = 400;
/** How many slow receivers are remembered. */
const MAX_SLOW = 10_000;

/** After how many milliseconds an attempt gives up its place to others, and for how long a receiver that is not slow may take. */
const OVERDUE_AFTER = 2_000;
const SLOW_AFTER = 5_000;

/**
 * The turns for a process's attempts. After a while, an attempt counts as overdue, so that it delays no others. Receivers that are
 * slow or fail need no turns: each gets one attempt at a time.
 */
export class AttemptTurns {
  readonly #turns = new Semaphore(MAX_ATTEMPTS);
  readonly #overdue = new Semaphore(MAX_OVERDUE);
  /** The webhooks whose receivers took long for their last answer, or have not given it for a while. */
  readonly #slow = new LRUCache<number, true>({ max: MAX_SLOW });

  isSlow(webhookId: number): boolean {
    return this.#slow.has(webhookId);
  }

  /** Call it with the time that an answer took, in milliseconds. Returns whether it came in time. */
  answered(webhookId: number, time: number): boolean {
    if (time < SLOW_AFTER) this.#slow.delete(webhookId);
    else this.#slow.set(webhookId, true);
    return time < SLOW_AFTER;
  }

  /**
   * Makes an attempt when there is room for it.
   * @param isBad whether the receiver is slow or fails, when it is its turn
   */
  async take<T>(webhookId: number, isBad: () => boolean, attempt: () => Promise<T>): Promise<T> {
    const begun = await this.#turns.take(async () => {
      if (isBad()) return null;
      const result = attempt();
      if ((await withTimeout(OVERDUE_AFTER, result)) !== TIMED_OUT) return { result };
      // Until it answers: what waits for a place need not try.
      this.#slow.set(webhookId, true);
      const moved = Promise.withResolvers<void>();
      const wait = () => {
        moved.resolve();
        return result;
      };
      this.#overdue.take(wait).catch(() => {
        // It is reported to the one who waits for the result.
      });
      await Promise.race([result, moved.promise]);
      return { result };
    });
    return begun === null ? attempt() : begun.result;
  }
}

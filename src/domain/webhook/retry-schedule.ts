import type { Random } from '../../engine/tools/random.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delays before each retry, in milliseconds; after the last retry, the delivery has failed. */
const RETRY_DELAYS: readonly number[] = [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR];

/** The maximum random addition to a delay, so that deliveries that failed together are not retried together. */
const MAX_JITTER = 0.1;
const JITTER_STEPS = 1_000;

/** Milliseconds for which all attempts must fail before a webhook is disabled. */
const DISABLED_AFTER = 5 * 24 * HOUR;

/**
 * Returns the time of the next attempt of a delivery; null if there is none.
 * @param failures the number of failures, including this one
 */
export function retryAt(
  failures: number,
  now: Date,
  random: Random,
  delays: readonly number[] = RETRY_DELAYS,
): Date | null {
  const delay = delays[failures - 1];
  if (delay === undefined) return null;
  return new Date(
    now.getTime() + Math.round(delay * (1 + (MAX_JITTER * random(JITTER_STEPS)) / JITTER_STEPS)),
  );
}

/** After how many milliseconds every retry is due. */
export function longestDelay(delays: readonly number[] = RETRY_DELAYS): number {
  return Math.max(0, ...delays) * (1 + MAX_JITTER);
}

/** True if a webhook that has failed since then must be disabled. */
export function isGivenUp(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= DISABLED_AFTER;
}

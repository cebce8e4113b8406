import type { Random } from './signing.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** How long after each failure it is tried again, in milliseconds; after the last of them it is not. */
export const RETRY_DELAYS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
];

/** How much longer than that it may take, so that what failed together is not tried again together. */
const JITTER = 0.1;
const STEPS = 1_000;

/** After how long of nothing but failures a webhook is disabled, in milliseconds. */
const DISABLED_AFTER = 5 * 24 * HOUR;

/**
 * When a delivery is tried again; null where it is given up.
 * @param failures how often it has failed, this time included
 */
export function retryAt(
  failures: number,
  now: Date,
  random: Random,
  delays: readonly number[] = RETRY_DELAYS,
): Date | null {
  const delay = delays[failures - 1];
  if (delay === undefined) return null;
  return new Date(now.getTime() + Math.round(delay * (1 + (JITTER * random(STEPS)) / STEPS)));
}

/** Whether a webhook is given up that has failed since then. */
export function isGivenUp(failingSince: Date, now: Date): boolean {
  return now.getTime() - failingSince.getTime() >= DISABLED_AFTER;
}

import { setTimeout } from 'node:timers/promises';
import type { Data } from '../../db/database.ts';
import { waitsMoreThan } from '../../db/webhook/waiting.ts';

/** Limits of the messages that wait for an account's enabled webhooks. */
export interface WaitingLimits {
  /** Above this, the webhook with the most is disabled. */
  readonly max: number;
  /** Above this, each slice of long work pauses. */
  readonly slowingFrom: number;
  /** In milliseconds. */
  readonly pause: number;
}

export const WAITING_LIMITS: WaitingLimits = { max: 1_000_000, slowingFrom: 50_000, pause: 1_000 };

/**
 * Pauses while many messages wait for the account's webhooks. Call it after each slice of long work, outside a transaction. It
 * never stops the work.
 */
export async function pauseForWebhooks(
  { database }: Data,
  accountId: number,
  { slowingFrom, pause }: WaitingLimits = WAITING_LIMITS,
): Promise<void> {
  if (await waitsMoreThan(database, accountId, slowingFrom)) await setTimeout(pause);
}

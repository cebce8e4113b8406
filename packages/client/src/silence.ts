import type { Timing } from './timing.ts';

/** The interval at which a connection is checked, and the silence after which it is lost, in milliseconds. */
const CHECK_INTERVAL = 5_000;
const MAX_SILENCE = 25_000;

/**
 * The longest time until an answer, in milliseconds. It is short at first: a connection from before a computer slept never answers,
 * and there may be several of them.
 */
export const attemptLimit = (failures: number): number => Math.min(5_000 * 2 ** failures, 20_000);

/**
 * Calls `lose` after a long silence, until the signal is aborted. The service sends a comment every 12 s.
 * @returns a function to call whenever something was heard
 */
export function watchSilence({ now, wait }: Timing, signal: AbortSignal, lose: () => void): () => void {
  let heardAt = now();
  const watch = async () => {
    while (now() - heardAt <= MAX_SILENCE) await wait(CHECK_INTERVAL, signal);
    lose();
  };
  watch().catch(() => {});
  return () => {
    heardAt = now();
  };
}

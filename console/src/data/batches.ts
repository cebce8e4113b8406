import { Fault } from './faults.ts';
import { wait } from './write.ts';

/** The most records of a request. */
export const BATCH = 100;

/** How far a long task is. */
export interface Progress {
  readonly done: number;
  readonly of: number;
}

/** How often a batch that met the rate limit is tried again. */
const MAX_WAITS = 20;

/**
 * Works through items in batches of 100, in order. Where the key has to wait, so does this.
 * @returns the results so far, if it was stopped
 */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (batch: readonly Item[]) => Promise<readonly Result[]>,
  { onProgress, signal }: { onProgress: (progress: Progress) => void; signal: AbortSignal },
): Promise<Result[]> {
  const results: Result[] = [];
  let waits = 0;
  onProgress({ done: 0, of: items.length });
  while (results.length < items.length && !signal.aborted) {
    try {
      results.push(...(await work(items.slice(results.length, results.length + BATCH))));
      waits = 0;
      onProgress({ done: results.length, of: items.length });
    } catch (error) {
      const mayRepeat = error instanceof Fault && ['limited', 'busy', 'away'].includes(error.kind);
      waits++;
      if (!mayRepeat || waits > MAX_WAITS) throw error;
      await wait(Math.max(error.retryAfter ?? 1, 1));
    }
  }
  return results;
}

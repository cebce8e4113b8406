import { Fault } from './faults.ts';
import { wait } from './write.ts';

/** The most records of a request. */
export const BATCH = 100;

/**
 * The answers up to the first write that the service had no time for. It refuses the rest of a request that takes too long, by
 * an error at the request's key.
 */
export function inTime<Answer extends object>(answers: readonly Answer[]): readonly Answer[] {
  const end = answers.findIndex(
    (one) =>
      'fields' in one &&
      Array.isArray(one.fields) &&
      one.fields.some(({ path }) => path.includes('Idempotency-Key')),
  );
  return end === -1 ? answers : answers.slice(0, end);
}

/** The progress of a long task. */
export interface Progress {
  readonly done: number;
  readonly of: number;
}

/** The options of a task that nobody watches or stops. */
export const unwatched = () => ({ onProgress: () => undefined, signal: new AbortController().signal });

/** The number of times that a batch is sent again after it met the rate limit. */
const MAX_WAITS = 20;

/**
 * Works through items in batches of 100, in order. Where the key has to wait, so does this.
 * A batch that writes too much is sent in smaller ones.
 * @param work gives fewer results than it got items if there was no time for the others: they are in the next, smaller batch
 * @returns the results so far, if it was stopped
 */
export async function inBatches<Item, Result>(
  items: readonly Item[],
  work: (batch: readonly Item[]) => Promise<readonly Result[]>,
  { onProgress, signal }: { onProgress: (progress: Progress) => void; signal: AbortSignal },
): Promise<Result[]> {
  const results: Result[] = [];
  let waits = 0;
  let size = BATCH;
  onProgress({ done: 0, of: items.length });
  while (results.length < items.length && !signal.aborted) {
    try {
      const batch = items.slice(results.length, results.length + size);
      const done = await work(batch);
      results.push(...done);
      if (done.length < batch.length) size = Math.ceil(size / 2);
      if (done.length === 0) throw new Fault('busy', '', 1);
      waits = 0;
      onProgress({ done: results.length, of: items.length });
    } catch (error) {
      // The service writes only so much with a key.
      if (error instanceof Fault && error.code === 'TOO_COSTLY' && size > 1) {
        size = Math.ceil(size / 2);
        continue;
      }
      // A task that has not begun fails at once.
      const repeated = results.length > 0 ? ['limited', 'busy', 'away'] : ['limited', 'busy'];
      const mayRepeat = error instanceof Fault && repeated.includes(error.kind);
      waits++;
      if (!mayRepeat || waits > MAX_WAITS) throw error;
      await wait(Math.max(error.retryAfter ?? 1, 1));
    }
  }
  return results;
}

import { growing } from './events.ts';
import { attemptLimit } from './silence.ts';

const TRIES = 5;

/**
 * Returns a function that calls `read`, once at a time: all calls during a read lead to one more after it. A read that fails is
 * tried again. Between two reads is a pause, so that an import of others does not lead to a read for each of its records.
 * @param read its parameter is the longest time for a request, in milliseconds
 * @param pause how long to wait after some failed tries, in milliseconds
 */
export function oneAtATime(read: (limit: number) => Promise<unknown>, pause = growing): () => void {
  let isReading = false;
  let isWanted = false;
  const readUntilDone = async (): Promise<void> => {
    for (let failed = 0; isWanted && failed < TRIES; ) {
      isWanted = false;
      failed = await read(attemptLimit(failed)).then(
        () => 0,
        () => failed + 1,
      );
      isWanted ||= failed > 0;
      await new Promise((resolve) => setTimeout(resolve, pause(failed)));
    }
    isReading = false;
  };
  return () => {
    isWanted = true;
    if (isReading) return;
    isReading = true;
    void readUntilDone();
  };
}

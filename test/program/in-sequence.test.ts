import { expect, test } from 'vitest';
import { inSequence } from '../../src/schema/result.ts';

test('others have their turns between the items of a long work', async () => {
  let [isWorking, turns] = [true, 0];
  const turn = () => {
    turns++;
    if (isWorking) setImmediate(turn);
  };
  setImmediate(turn);
  const block = (item: number) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 25);
    return item * 2;
  };
  expect(await inSequence([1, 2, 3, 4], block)).toEqual([2, 4, 6, 8]);
  isWorking = false;
  expect(turns).toBeGreaterThanOrEqual(3);
});

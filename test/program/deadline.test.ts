import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Deadline } from '../../src/engine/tools/deadline.ts';

const never = new Promise<string>(() => {});
const error = () => new Error('over');

/** Holds the thread, as a machine that stands still does. */
function standStill(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('gives the result of the work, or the error when the time is over', async () => {
  expect(await new Deadline(1_000, error).within(Promise.resolve('done'))).toBe('done');
  const deadline = new Deadline(10, error);
  expect(deadline.left).toBeGreaterThan(0);
  await expect(deadline.within(never)).rejects.toThrow('over');
  expect([deadline.left, deadline.signal.aborted]).toEqual([0, true]);
  expect(deadline.signal.reason).toEqual(new Error('over'));
});

test('begins the time again for work that has done a part', async () => {
  const deadline = new Deadline(60, error);
  const work = async () => {
    for (let parts = 0; parts < 4; parts++) {
      await setTimeout(30);
      deadline.extend();
    }
    return 'done';
  };
  expect(await deadline.within(work())).toBe('done');
  const ended = new Deadline(20, error);
  ended.extend();
  await expect(ended.within(never)).rejects.toThrow('over');
});

test('gives the time again in which the process did not run', async () => {
  const deadline = new Deadline(50, error);
  const answered = deadline.within(setTimeout(20, 'done'));
  standStill(200);
  expect(await answered).toBe('done');
  const late = new Deadline(20, error);
  standStill(60);
  // The whole time once more, but not for ever.
  await expect(late.within(never)).rejects.toThrow('over');
});

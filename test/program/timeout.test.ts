import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TIMED_OUT, withTimeout } from '../../src/engine/tools/timeout.ts';

test('work that takes longer than its timeout is late, other work is not', async () => {
  expect(await withTimeout(10, new Promise(() => {}))).toBe(TIMED_OUT);
  expect(await withTimeout(10_000, setTimeout(1, 'done'))).toBe('done');
});

test('work is not late because the process did not run', async () => {
  const work = withTimeout(20, setTimeout(40, 'done'));
  for (const until = performance.now() + 100; performance.now() < until; );
  expect(await work).toBe('done');
});

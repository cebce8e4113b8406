import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { VisitWait } from '../../src/redirect/visit-wait.ts';

test('the waits of a visit take 300 ms at most in all', async () => {
  const wait = new VisitWait();
  const granted: number[] = [];
  for (let i = 0; i < 4; i++)
    await wait.upTo(200, async (milliseconds) => {
      granted.push(milliseconds);
      await setTimeout(milliseconds);
    });
  expect(granted[0]).toBe(200);
  expect(granted.reduce((sum, one) => sum + one, 0)).toBeLessThan(300);
  expect(wait.isOver).toBe(true);
});

test('a visit that has to read something waits for it, and for each of the rest', async () => {
  const wait = new VisitWait();
  wait.mustRead();
  const granted: number[] = [];
  for (let i = 0; i < 3; i++) await wait.upTo(200, async (milliseconds) => void granted.push(milliseconds));
  expect(granted).toEqual([200, 200, 200]);
});

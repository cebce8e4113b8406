import { expect, test } from 'vitest';
import { VisitWait } from '../../src/redirect/visit-wait.ts';

test('the waits of a visit take 300 ms at most in all', async () => {
  let time = 0;
  const wait = new VisitWait(() => time);
  const granted: number[] = [];
  for (let i = 0; i < 4; i++)
    await wait.upTo(200, async (milliseconds) => {
      granted.push(milliseconds);
      time += milliseconds;
    });
  expect(granted).toEqual([200, 50, 0, 0]);
  expect(wait.isOver).toBe(true);
});

test('a visit that has to read something waits for it, and for each of the rest', async () => {
  const wait = new VisitWait();
  wait.mustRead();
  const granted: number[] = [];
  for (let i = 0; i < 3; i++) await wait.upTo(200, async (milliseconds) => void granted.push(milliseconds));
  expect(granted).toEqual([200, 200, 200]);
});

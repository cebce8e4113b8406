import { expect, test } from 'vitest';
import { SplitKeys } from '../../src/clicks/split-keys.ts';

const at = (text: string) => new Date(`2026-11-${text}Z`);

test('the salt of the next day is read ahead, so that a database that is away at midnight changes nothing', async () => {
  let now = at('20T22:59:00');
  let isAway = false;
  const read: number[] = [];
  const keys = new SplitKeys(
    async (day) => {
      if (isAway) throw new Error('away');
      read.push(day);
      return `salt of ${day}`;
    },
    () => now,
  );
  await keys.work();
  expect(read).toEqual([20261120]);
  now = at('20T23:00:00');
  await keys.work();
  expect(read).toEqual([20261120, 20261121]);
  isAway = true;
  now = at('21T00:00:01');
  expect(keys.at(now).isShared).toBe(true);
  expect(keys.isMissing(now)).toBe(false);
  await keys.work();
  expect(keys.at(now).isShared).toBe(true);
});

test('a process without the salt uses a key of its own for the day, until it has it', async () => {
  let salt: string | null = null;
  let now = at('20T12:00:00');
  const keys = new SplitKeys(
    async () => salt,
    () => now,
  );
  await keys.work();
  const own = keys.at(now);
  expect(own.isShared).toBe(false);
  expect(keys.at(now)).toBe(own);
  salt = 'found';
  await keys.work();
  expect(keys.at(now).isShared).toBe(true);
  salt = null;
  now = at('21T12:00:00');
  await keys.work();
  expect(keys.at(now).isShared).toBe(false);
});

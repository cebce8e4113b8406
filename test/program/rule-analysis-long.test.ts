import { expect, test } from 'vitest';
import { compareAnalysis } from '../support/rule-lists.ts';

const LISTS = 10_000;

test('finds the faults of ten thousand lists that trying all visitors finds', () => {
  const { silent, found } = compareAnalysis(LISTS, Date.UTC(2026, 10, 30, 12, 34, 56, 789));
  expect(silent).toBeLessThanOrEqual(LISTS / 100);
  expect(found).toMatchObject({
    NEVER: expect.any(Number),
    DUPLICATE: expect.any(Number),
    UNREACHABLE: expect.any(Number),
    'UNREACHABLE together': expect.any(Number),
  });
});

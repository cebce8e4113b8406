import { expect, test } from 'vitest';
import { WrittenPositions } from '../../src/engine/db/postgresql/replicas.ts';

test('a replica lags while it lacks a position of the primary, and never while the primary is idle', () => {
  const written = new WrittenPositions();
  expect(written.lagOf(0n, 5_000)).toBe(0);
  written.note(10n, 1_000);
  written.note(20n, 2_000);
  // The primary is idle.
  written.note(20n, 60_000);
  expect([5n, 10n, 19n, 20n, 21n].map((replayed) => written.lagOf(replayed, 62_000))).toEqual([
    61_000, 60_000, 60_000, 0, 0,
  ]);
  written.note(30n, 63_000);
  expect(written.lagOf(20n, 64_000)).toBe(1_000);
});

test('a constant delay gives a constant lag, also after old positions are dropped', () => {
  const written = new WrittenPositions();
  const delay = 10;
  for (let second = 1; second <= 5_000; second++) {
    written.note(BigInt(second), second);
    const replayed = BigInt(Math.max(0, second - delay));
    written.forget(replayed);
    if (second > delay) expect(written.lagOf(replayed, second)).toBe(delay - 1);
  }
});

test('a replica that was away for weeks uses no memory, and counts as lagging until it has caught up', () => {
  const written = new WrittenPositions();
  const weeks = 2_000_000;
  for (let second = 1; second <= weeks; second++) written.note(BigInt(second), second);
  expect(written.lagOf(0n, weeks)).toBe(weeks - 1);
  const missing = [1_000_000, 10_000, 1_000, 100, 10];
  const lags = missing.map((behind) => written.lagOf(BigInt(weeks - behind), weeks));
  for (const [index, lag] of lags.entries())
    expect(lag).toBeGreaterThanOrEqual(Math.min(400, (missing[index] ?? 0) - 1));
});

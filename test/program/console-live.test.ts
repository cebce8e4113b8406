import { describe, expect, test } from 'vitest';
import { mayBeUsedUp, nextEnd } from '../../console/src/data/ending.ts';
import { pauseAfter } from '../../console/src/data/repeat.ts';
import { formatSums } from '../../console/src/views/statistics/period.ts';

const link = (at: string | null, clicks: number | null = null) => ({ expiration: { at, clicks } });

describe('links that end while the console shows them', () => {
  const now = Date.parse('2026-11-20T12:00Z');
  test.each([
    [[], Infinity],
    [[link(null)], Infinity],
    [[link('2026-11-20T11:59:59Z')], Infinity],
    [[link('2026-11-20T12:00:00Z')], Infinity],
    [[link('2026-11-21T00:00Z'), link('2026-11-20T12:00:01Z'), link(null)], now + 1_000],
  ])('the next of %j', (links, end) => {
    expect(nextEnd(links, now)).toBe(end);
  });

  test.each([
    ['ACTIVE', 2, 3, true],
    ['ACTIVE', 3, 3, false],
    ['ACTIVE', 2, null, false],
    ['DISABLED', 2, 3, false],
    ['EXPIRED', 2, 3, false],
  ] as const)('one that is %s, with %i of %s clicks, is read often: %s', (status, clicks, limit, is) => {
    expect(mayBeUsedUp([{ id: '1', status, clicks, ...link(null, limit) }])).toBe(is);
  });
});

test.each([
  [0, 2_000],
  [200, 2_000],
  [700, 7_000],
  [60_000, 30_000],
])('after a question of %i ms the console waits %i ms', (took, pause) => {
  expect(pauseAfter(took)).toBe(pause);
});

test('the figures of a day are summed over its hours', () => {
  const point = (start: string, clicks: number) => ({ start, clicks, bots: 1 });
  const series = [
    point('2026-11-19T23:00:00Z', 9),
    point('2026-11-20T00:00:00Z', 2),
    point('2026-11-20T01:00:00Z', 3),
  ];
  expect(formatSums(series, '2026-11-20')).toBe(
    formatSums([{ start: '2026-11-20', clicks: 5, bots: 2 }], '2026-11-20'),
  );
});

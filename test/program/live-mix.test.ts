import { expect, test } from 'vitest';
import { drawFrom, liveMix } from '../../bench/mix.ts';

const LINKS = 20_000;
const DRAWN = 50_000;

/** The percentage of drawn requests that match. */
function share<T>(drawn: readonly T[], fits: (one: T) => boolean): number {
  return (100 * drawn.filter(fits).length) / drawn.length;
}

test('the live mix is 80 percent visits, 15 different reads, 4 new links and 1 change', () => {
  const kinds = liveMix(LINKS);
  const often = (fits: RegExp) =>
    kinds.reduce((sum, kind) => sum + (fits.test(kind.name) ? kind.often : 0), 0);
  expect([often(/visit/), often(/create/), often(/update/), often(/./)]).toEqual([80, 4, 1, 100]);
  const draw = drawFrom(kinds);
  const drawn = Array.from({ length: DRAWN }, draw);
  expect(share(drawn, ({ path }) => path.startsWith('/a') && !path.startsWith('/api/'))).toBeCloseTo(80, 0);
  expect(share(drawn, ({ method }) => method === 'PATCH')).toBeCloseTo(0.5, 0);
  expect(share(drawn, ({ anew = false }) => anew)).toBeCloseTo(17.5, 0);
});

test('visits are distributed over all links by Zipf’s law', () => {
  const visit = liveMix(LINKS).find(({ name }) => name === 'visit');
  const drawn = Array.from({ length: DRAWN }, () => visit?.draw().path);
  const sum = Array.from({ length: LINKS }, (_, rank) => 1 / (rank + 1)).reduce((a, b) => a + b);
  // The most visited links.
  for (const [rank, path] of ['/a0', '/a7919', '/a15838'].entries())
    expect(share(drawn, (one) => one === path)).toBeCloseTo(100 / (rank + 1) / sum, 0);
  expect(new Set(drawn).size).toBeGreaterThan(LINKS / 3);
});

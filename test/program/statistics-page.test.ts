import { describe, expect, test } from 'vitest';
import type { StatisticsDimension } from '../../src/domain/statistics/dimension.ts';
import { pageLength, publicTop, secretStarts } from '../../src/domain/statistics/public-statistics.ts';
import { chooseSteps, drawChart } from '../../src/redirect/statistics/chart.ts';
import { localeFor } from '../../src/redirect/statistics/locale.ts';

type Row = [value: string | null, clicks: number];

const asRows = (list: Row[]) => list.map(([value, clicks]) => ({ value, clicks }));
const shownOf = (rows: Row[], start = 0, by: StatisticsDimension = 'COUNTRY', others = 0) =>
  publicTop({ rows: asRows(rows), others }, by, () => start);

describe('values shown in steps of five, with the rest added to the others', () => {
  test.each<[string, StatisticsDimension, Row[], number, Row[], number]>([
    ['nothing', 'BROWSER', [], 0, [], 0],
    [
      'five are enough, four are not',
      'BROWSER',
      [
        ['A', 9],
        ['B', 5],
        ['C', 4],
      ],
      7,
      [
        ['A', 5],
        ['B', 5],
      ],
      15,
    ],
    [
      'all of them',
      'COUNTRY',
      [
        ['DE', 4],
        ['AT', 1],
      ],
      0,
      [],
      5,
    ],
    [
      'what is not known',
      'COUNTRY',
      [
        [null, 12],
        ['DE', 7],
      ],
      0,
      [
        [null, 10],
        ['DE', 5],
      ],
      4,
    ],
    [
      'equal steps are in the order of the values',
      'COUNTRY',
      [
        ['DE', 9],
        ['AT', 8],
      ],
      0,
      [
        ['AT', 5],
        ['DE', 5],
      ],
      7,
    ],
    [
      'referrers that had no place',
      'REFERRER',
      [
        ['other', 50],
        ['a.example', 7],
      ],
      1,
      [['a.example', 5]],
      53,
    ],
    ['other devices are a value', 'DEVICE', [['other', 50]], 0, [['other', 50]], 0],
  ])('%s', (_what, by, rows, others, shown, folded) => {
    expect(shownOf(rows, 0, by, others)).toEqual({ rows: asRows(shown), others: folded });
  });

  test('adds a step late, by less than its size', () => {
    const first = (clicks: number, start: number) => shownOf([['DE', clicks]], start).rows[0]?.clicks ?? 0;
    expect([4, 5, 6, 8, 9, 10, 13, 14].map((clicks) => first(clicks, 0))).toEqual([
      0, 5, 5, 5, 5, 10, 10, 10,
    ]);
    expect([4, 5, 6, 8, 9, 10, 13, 14].map((clicks) => first(clicks, 4))).toEqual([0, 0, 0, 0, 5, 5, 5, 10]);
  });

  test('shows at most ten, independently of exact counts', () => {
    const values = Array.from({ length: 12 }, (_, index) => String.fromCharCode(65 + index));
    const { rows, others } = shownOf(values.map((value, index) => [value, index === 11 ? 6 : 5]));
    expect(rows.map(({ value }) => value)).toEqual(values.slice(0, 10));
    expect(others).toBe(11);
  });
});

describe('the start of steps', () => {
  const values = Array.from({ length: 200 }, (_, index) => `v${index}`);
  test('is fixed for a secret, evenly distributed, and differs by value, step, link and dimension', () => {
    const starts = secretStarts('secret', 1, 'LANGUAGE');
    const of = (from: typeof starts, step = 1) => values.map((value) => from(value, step));
    expect(of(secretStarts('secret', 1, 'LANGUAGE'))).toEqual(of(starts));
    for (const start of [0, 1, 2, 3, 4])
      expect(of(starts).filter((one) => one === start).length).toBeGreaterThan(20);
    const others = [
      of(starts, 2),
      of(secretStarts('secret', 2, 'LANGUAGE')),
      of(secretStarts('other', 1, 'LANGUAGE')),
      of(secretStarts('secret', 1, 'REFERRER')),
      of(secretStarts('secret', 1, 'VISITORS')),
    ];
    for (const other of others)
      expect(other.filter((one, index) => one === of(starts)[index]).length).toBeLessThan(80);
  });
});

test.each([
  [null, 30],
  ['7', 7],
  ['365', 365],
  ['366', 30],
  ['7.0', 30],
  ['-7', 30],
  ['1e1', 30],
])('days=%s shows %i days', (asked, length) => {
  expect(pageLength(asked)).toBe(length);
});

test.each([
  [0, [0, 1]],
  [1, [0, 1]],
  [3, [0, 1, 2, 3]],
  [9, [0, 3, 6, 9]],
  [62, [0, 20, 40, 60, 80]],
  [122, [0, 50, 100, 150]],
  [2_147_483_647, [0, 1e9, 2e9, 3e9]],
])('a chart up to %i has grid lines at whole numbers', (highest, grid) => {
  expect(chooseSteps(highest)).toEqual(grid);
});

test('any chart has a few grid lines, at whole numbers up to at least the highest count', () => {
  for (let highest = 0; highest < 3_000; highest++) {
    const grid = chooseSteps(highest);
    expect(grid.every(Number.isInteger)).toBe(true);
    expect(grid.length).toBeGreaterThan(1);
    expect(grid.length).toBeLessThan(6);
    expect(Math.max(...grid)).toBeGreaterThanOrEqual(highest);
  }
});

test('a chart without clicks is a flat line with a text that says so', () => {
  const day = { clicks: 0, visitors: 0, bots: 0, time: 20261120 };
  const days = [20, 21].map((date) => ({ ...day, start: new Date(`2026-11-${date}T00:00:00Z`) }));
  const chart = drawChart({ days, visitors: 0 }, localeFor('en'));
  expect(chart).toContain('<polyline class="clicks today" points="0,100 100,100"/>');
  expect(chart).toContain('Clicks: 0. Visitors: 0.');
  expect(chart).not.toMatch(/NaN|Infinity|undefined/);
});

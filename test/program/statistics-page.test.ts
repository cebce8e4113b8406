import { describe, expect, test } from 'vitest';
import { OperatorLists } from '../../src/domain/link/operator-lists.ts';
import type { StatisticsDimension } from '../../src/domain/statistics/dimension.ts';
import { mergeHiddenValues, pageLength, showsDestinations } from '../../src/domain/statistics/page.ts';
import { chartOf, gridOf } from '../../src/redirect/statistics/chart.ts';
import { wordsFor } from '../../src/redirect/statistics/words.ts';

const lists = new OperatorLists();
lists.setBlockedHosts({ entries: new Set(['bad.example']) });

type Row = [value: string | null, clicks: number];

describe('values with few clicks are folded into the others', () => {
  test.each<[string, StatisticsDimension, Row[], number, Row[], number]>([
    ['nothing', 'BROWSER', [], 0, [], 0],
    [
      'five are enough',
      'BROWSER',
      [
        ['A', 9],
        ['B', 5],
      ],
      0,
      [
        ['A', 9],
        ['B', 5],
      ],
      0,
    ],
    [
      'four are not',
      'BROWSER',
      [
        ['A', 9],
        ['B', 4],
      ],
      0,
      [['A', 9]],
      4,
    ],
    [
      'what is left joins the others',
      'BROWSER',
      [
        ['A', 9],
        ['B', 4],
        ['C', 1],
      ],
      7,
      [['A', 9]],
      12,
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
      'what is not known, too',
      'COUNTRY',
      [
        ['DE', 7],
        [null, 4],
      ],
      0,
      [['DE', 7]],
      4,
    ],
    [
      'what is not known and is much stays',
      'COUNTRY',
      [
        [null, 8],
        ['DE', 7],
      ],
      0,
      [
        [null, 8],
        ['DE', 7],
      ],
      0,
    ],
    [
      'destinations on blocked hosts',
      'DESTINATION',
      [
        ['https://bad.example/login', 50],
        ['https://good.example/', 7],
      ],
      1,
      [['https://good.example/', 7]],
      51,
    ],
    [
      'referrers that had no place',
      'REFERRER',
      [
        ['other', 50],
        ['a.example', 7],
      ],
      1,
      [['a.example', 7]],
      51,
    ],
    ['other devices are a value', 'DEVICE', [['other', 50]], 0, [['other', 50]], 0],
  ])('%s', (_what, by, rows, others, left, folded) => {
    const asRows = (list: Row[]) => list.map(([value, clicks]) => ({ value, clicks }));
    expect(mergeHiddenValues({ rows: asRows(rows), others }, by, lists)).toEqual({
      rows: asRows(left),
      others: folded,
    });
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
])('days=%s is %i days', (asked, length) => {
  expect(pageLength(asked)).toBe(length);
});

test.each([
  [{ password: null, expirationClicks: null }, true],
  [{ password: 'hash', expirationClicks: null }, false],
  [{ password: null, expirationClicks: 5 }, false],
])('destinations of %o are shown: %s', (link, shown) => {
  expect(showsDestinations(link)).toBe(shown);
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
  expect(gridOf(highest)).toEqual(grid);
});

test('the grid of any chart has few lines, at whole numbers up to at least the highest count', () => {
  for (let highest = 0; highest < 3_000; highest++) {
    const grid = gridOf(highest);
    expect(grid.every(Number.isInteger)).toBe(true);
    expect(grid.length).toBeGreaterThan(1);
    expect(grid.length).toBeLessThan(6);
    expect(Math.max(...grid)).toBeGreaterThanOrEqual(highest);
  }
});

test('a chart without clicks is a flat line, and says so', () => {
  const day = { clicks: 0, visitors: 0, bots: 0, time: 20261120 };
  const days = [20, 21].map((date) => ({ ...day, start: new Date(`2026-11-${date}T00:00:00Z`) }));
  const chart = chartOf(days, wordsFor('en'));
  expect(chart).toContain('<polyline class="clicks today" points="0,100 100,100"/>');
  expect(chart).toContain('Clicks: 0. Visitors: 0.');
  expect(chart).not.toMatch(/NaN|Infinity|undefined/);
});

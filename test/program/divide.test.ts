import fc from 'fast-check';
import { expect, test } from 'vitest';
import { divide } from '../../src/clicks/divide.ts';
import {
  countUnwritten,
  type DayOfLink,
  emptyDay,
  emptyHour,
  type LinkVisits,
  listDays,
  type Visits,
} from '../../src/clicks/visit-counts.ts';
import { dayOfHour, hourOf } from '../../src/db/statistics/calendar.ts';
import { kinds, visitValue } from '../../src/db/statistics/value.ts';

/** Counts of a link in one hour, with values and visitors of its day. */
const counts = fc.record({
  link: fc.integer({ min: 1, max: 4 }),
  hour: fc.constantFrom(
    ...['20T22', '20T23', '21T00', '21T13'].map((at) => hourOf(new Date(`2026-11-${at}:00Z`))),
  ),
  clicks: fc.nat(3),
  alreadyCounted: fc.nat(2),
  undescribed: fc.nat(1),
  bots: fc.integer({ min: 1, max: 3 }),
  values: fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }),
  visitors: fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
});

const values = new Map(
  ['a', 'b', 'c', 'd'].map((host) => [host, visitValue(kinds.REFERRER, { referrer: host })] as const),
);

function visitsOf(all: readonly (typeof counts extends fc.Arbitrary<infer One> ? One : never)[]): Visits {
  const visits: Visits = new Map();
  for (const { link: id, hour, bots, undescribed, ...one } of all) {
    const clicks = one.clicks + one.alreadyCounted;
    const link: LinkVisits = visits.get(id) ?? { last: null, hours: new Map(), days: new Map() };
    visits.set(id, link);
    const hourly = link.hours.get(hour) ?? emptyHour();
    link.hours.set(hour, hourly);
    const day: DayOfLink = link.days.get(dayOfHour(hour)) ?? { ...emptyDay(), resets: 3 };
    link.days.set(dayOfHour(hour), day);
    for (const sum of [hourly, day]) {
      sum.clicks += clicks;
      sum.alreadyCounted += one.alreadyCounted;
      sum.bots += bots;
    }
    day.described += Math.max(0, clicks - undescribed);
    for (const host of one.values) {
      const value = values.get(host);
      if (value) day.values.set(value, (day.values.get(value) ?? 0) + 1);
    }
    for (const visitor of one.visitors) day.visitors.add(visitor);
  }
  return visits;
}

/** All rows of the visits, with their sums. */
function sumRows(parts: readonly Visits[]): Record<string, number> {
  const rows: Record<string, number> = {};
  const add = (row: string, number: number) => {
    if (number !== 0) rows[row] = (rows[row] ?? 0) + number;
  };
  for (const visits of parts) {
    for (const [id, link] of visits) {
      add(`${id}`, countUnwritten(link));
      for (const [hour, one] of link.hours)
        for (const sum of ['clicks', 'alreadyCounted', 'bots'] as const)
          add(`${id} ${hour} ${sum}`, one[sum]);
    }
    for (const [id, day, one] of listDays(visits)) {
      for (const sum of ['clicks', 'alreadyCounted', 'bots', 'described'] as const)
        add(`${id} ${day} ${sum}`, one[sum]);
      for (const [value, count] of one.values) add(`${id} ${day} ${value.hash}`, count);
      for (const visitor of one.visitors) add(`${id} ${day} ${visitor}`, 1);
    }
  }
  return rows;
}

function leavesOf(visits: Visits): Visits[] {
  const parts = divide(visits);
  return parts.length === 0 ? [visits] : parts.flatMap(leavesOf);
}

test('parts have together what the whole has, and in the end each row is alone', () => {
  fc.assert(
    fc.property(fc.array(counts, { minLength: 1, maxLength: 12 }), (all) => {
      const leaves = leavesOf(visitsOf(all));
      expect(sumRows(leaves)).toEqual(sumRows([visitsOf(all)]));
      const counted = new Set<string>();
      for (const leaf of leaves) {
        expect(leaf.size).toBe(1);
        for (const [id, day, one] of listDays(leaf)) {
          const hours = leaf.get(id)?.hours.size ?? 0;
          expect(hours + one.values.size + one.visitors.size).toBe(1);
          expect(one.described).toBeLessThanOrEqual(one.clicks);
          expect(one.resets).toBe(3);
          // The counts of a day come before its values and visitors.
          if (hours > 0) counted.add(`${id} ${day}`);
          expect(counted).toContain(`${id} ${day}`);
        }
      }
    }),
  );
});

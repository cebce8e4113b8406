import { expect, test, vi } from 'vitest';
import { parseRules } from '../../src/domain/rule/parse.ts';
import type { StoredTest } from '../../src/domain/rule/stored.ts';
import { failedTests, MAX_TEST_STEPS } from '../../src/domain/rule/tests.ts';
import { LOOKS_BEFORE_TABLE, zoneNamed } from '../../src/domain/rule/zone.ts';

const url = 'https://example.com/';
const HOUR = 3_600_000;
const zones = Intl.supportedValuesOf('timeZone').slice(0, 190);
const visitor = (year: number) => ({ at: `${year}-07-01T12:00:00.000Z` });

/** Rules with ten hours each, which each of these times meets; but the last, which is for no time. */
function rulesIn(names: readonly string[]) {
  const when = names.map((timeZone) => ({ hours: { timeZone } }));
  const rules = Array.from({ length: Math.ceil(names.length / 10) }, (_, place) => ({
    ...{ id: place + 1, name: `${place}`, to: [] },
    when: [
      ...when.slice(10 * place, 10 * place + 9),
      { hours: { timeZone: names[10 * place] ?? '', days: [] } },
    ],
  }));
  return parseRules({ rules });
}

const many: StoredTest[] = Array.from({ length: 20 }, (_, index) => ({
  visitor: visitor(2000 + index),
  expect: { rule: 'None' },
}));

test('a clock is made once for a zone, and read once for each time of a test', () => {
  const rules = rulesIn(zones);
  const made = vi.spyOn(Intl, 'DateTimeFormat');
  // A look at a clock makes one time of its parts, and the borders of the year two; a table would make thirty and more.
  const calculated = vi.spyOn(Date, 'UTC');
  expect(failedTests(rules, url, many)).toHaveLength(20);
  expect(made).not.toHaveBeenCalled();
  expect(calculated.mock.calls.length).toBeLessThanOrEqual(3 * 20 * 190);
  vi.restoreAllMocks();
});

test('tests of a link that is read are silent where their steps end', () => {
  const rules = rulesIn(zones);
  const failed = failedTests(rules, url, many, MAX_TEST_STEPS);
  expect(failed.length).toBeLessThan(20);
  expect(failedTests(rules, url, many).slice(0, failed.length)).toEqual(failed);
  const usual = rulesIn(zones.slice(0, 10));
  expect(failedTests(usual, url, many, MAX_TEST_STEPS)).toHaveLength(20);
});

test.each(['Europe/Berlin', 'Australia/Lord_Howe', 'Asia/Kathmandu'])(
  'the clock of %s is the same when it is looked at and when it has a table',
  (name) => {
    const zone = zoneNamed(name);
    const times = Array.from({ length: 400 }, (_, index) => Date.UTC(2031) + index * 21 * HOUR + 59);
    const looked = times.map((at) => {
      // Another year between two looks: no table is made.
      zone?.offsetAt(at - 2 * 366 * 24 * HOUR);
      return zone?.offsetAt(at);
    });
    expect(times.length).toBeGreaterThan(LOOKS_BEFORE_TABLE);
    expect(times.map((at) => zone?.offsetAt(at))).toEqual(looked);
    expect(new Set(looked).size).toBe(name === 'Asia/Kathmandu' ? 1 : 2);
  },
);

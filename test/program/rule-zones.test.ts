import { expect, test, vi } from 'vitest';
import { analyseRules } from '../../src/domain/rule/analyse.ts';
import { parseRules } from '../../src/domain/rule/parse.ts';
import type { ParsedRules } from '../../src/domain/rule/parsed.ts';
import type { StoredTest } from '../../src/domain/rule/stored.ts';
import { MAX_TEST_STEPS, runTests } from '../../src/domain/rule/tests.ts';
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

const failedTests = (rules: ParsedRules, tests: readonly StoredTest[], steps = Number.POSITIVE_INFINITY) =>
  runTests(rules, url, tests, steps).failed;

/** The number of times that any clock is read during the work. */
function countLooks(work: () => unknown): number {
  const clocks = Intl.DateTimeFormat.prototype;
  const read = Object.getOwnPropertyDescriptor(clocks, 'format') ?? {};
  let looks = 0;
  Object.defineProperty(clocks, 'format', {
    ...read,
    get() {
      looks++;
      return read.get?.call(this);
    },
  });
  work();
  Object.defineProperty(clocks, 'format', read);
  return looks;
}

test('a clock is made once for a zone, and read once for each time of a test', () => {
  const rules = rulesIn(zones);
  const made = vi.spyOn(Intl, 'DateTimeFormat');
  const looks = countLooks(() => expect(failedTests(rules, many)).toHaveLength(20));
  expect(made).not.toHaveBeenCalled();
  expect(looks).toBeLessThanOrEqual(20 * 190);
  vi.restoreAllMocks();
});

test('an analysis looks at ten clocks that nobody has looked at at most 120 times each, and never again', () => {
  const names = ['Africa/Casablanca', 'Africa/Cairo', 'Australia/Lord_Howe', 'Pacific/Chatham'];
  const others = ['America/Havana', 'America/Santiago', 'Asia/Beirut', 'Europe/Dublin', 'America/Nuuk'];
  const rules = rulesIn([...names, ...others, 'Antarctica/Troll']);
  // A time of which no other test makes tables.
  const analyse = () => analyseRules(rules.rules, Date.UTC(2041, 6));
  const [first, again] = [countLooks(analyse), countLooks(analyse)];
  expect([first > 0, first <= 10 * 120, again]).toEqual([true, true, 0]);
});

test.each(['Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Pacific/Chatham', 'Asia/Kolkata'])(
  'the table of %s has each change of its clock, to the minute',
  (name) => {
    const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'long', timeZone: name });
    const hourOf = (at: number) => clock.format(at).slice(0, 'HH:MM'.length);
    const [from, until] = [Date.UTC(2025), Date.UTC(2028)];
    const found = zoneNamed(name)?.changesIn(from, until) ?? [];
    // A clock that does not change shows the next quarter of an hour.
    const expected = [];
    for (let at = from; at < until; at += HOUR / 4) {
      const [hours = 0, minutes = 0] = hourOf(at - HOUR / 4)
        .split(':')
        .map(Number);
      const next = (hours * 60 + minutes + 15) % 1_440;
      const [shown = 0, past = 0] = hourOf(at).split(':').map(Number);
      if (shown * 60 + past !== next) expected.push(at);
    }
    expect(found).toEqual(expected);
  },
);

test('tests of a link that is read are silent where their steps end', () => {
  const rules = rulesIn(zones);
  const failed = failedTests(rules, many, MAX_TEST_STEPS);
  expect(failed.length).toBeLessThan(20);
  expect(failedTests(rules, many).slice(0, failed.length)).toEqual(failed);
  const usual = rulesIn(zones.slice(0, 10));
  expect(failedTests(usual, many, MAX_TEST_STEPS)).toHaveLength(20);
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

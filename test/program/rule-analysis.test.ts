import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyseRules, MAX_STEPS, type RuleFault } from '../../src/domain/rule/analyse.ts';
import { parseRules } from '../../src/domain/rule/parse.ts';
import type { ParsedRule } from '../../src/domain/rule/parsed.ts';
import type { StoredCondition } from '../../src/domain/rule/stored.ts';
import { compareAnalysis, ruleLists } from '../support/rule-lists.ts';

const now = Date.UTC(2026, 10, 30, 12, 34, 56, 789);

function parse(lists: readonly (readonly StoredCondition[])[]): readonly ParsedRule[] {
  return parseRules({
    rules: lists.map((when, index) => ({ id: index + 1, name: `${index}`, when, to: [] })),
  }).rules;
}

const country = (...codes: string[]): StoredCondition => ({ country: { in: codes } });
const notCountry = (...codes: string[]): StoredCondition => ({ country: { notIn: codes } });
const language = (...codes: string[]): StoredCondition => ({ language: { in: codes } });
const referrer = (...hosts: string[]): StoredCondition => ({ referrer: { in: hosts } });
const query = (name: string, ...values: string[]): StoredCondition => ({ query: { name, in: values } });
const exists = (name: string, is = true): StoredCondition => ({ query: { name, exists: is } });
const from = (time: string): StoredCondition => ({ time: { from: time } });
const until = (time: string): StoredCondition => ({ time: { until: time } });
const hours = (opens: string, closes: string, timeZone = 'Europe/Berlin'): StoredCondition => ({
  hours: { from: opens, to: closes, timeZone },
});
const never = (rule: number): RuleFault => ({ rule, kind: 'NEVER' });
const unreachable = (rule: number, by?: number): RuleFault => ({
  rule,
  kind: 'UNREACHABLE',
  ...(by !== undefined && { by }),
});
const duplicate = (rule: number, by: number): RuleFault => ({ rule, kind: 'DUPLICATE', by });

test.each<[string, StoredCondition[][], RuleFault[]]>([
  ['no rules', [], []],
  ['a rule for everybody', [[]], []],
  ['rules behind one for everybody', [[], [country('DE')]], [unreachable(2, 1)]],
  ['two rules for everybody', [[], []], [duplicate(2, 1)]],
  ['countries in another order', [[country('DE', 'FR')], [country('FR', 'DE')]], [duplicate(2, 1)]],
  [
    'conditions in another order',
    [
      [country('DE'), exists('a')],
      [exists('a'), country('DE')],
    ],
    [duplicate(2, 1)],
  ],
  ['a part of the countries', [[country('DE', 'FR')], [country('DE')]], [unreachable(2, 1)]],
  ['more countries', [[country('DE')], [country('DE', 'FR')]], []],
  [
    'two rules that cover a third together',
    [[country('DE')], [country('FR')], [country('DE', 'FR')]],
    [unreachable(3)],
  ],
  ['a list and all others', [[country('DE')], [notCountry('DE')], [exists('a')]], [unreachable(3)]],
  [
    'three that cover a fourth together',
    [[country('DE'), exists('a')], [exists('a', false)], [notCountry('DE')], []],
    [unreachable(4)],
  ],
  [
    'a copy of a rule that is covered',
    [[], [country('DE')], [country('DE')]],
    [unreachable(2, 1), duplicate(3, 2)],
  ],
  ['two lists without a common country', [[country('DE'), country('FR')]], [never(1)]],
  ['a list and the same ones not', [[country('DE'), notCountry('DE', 'FR')]], [never(1)]],
  [
    'a copy of a rule that never matches',
    [
      [country('DE'), country('FR')],
      [country('DE'), country('FR')],
    ],
    [never(1), never(2)],
  ],
  ['two languages, of which one is the best', [[language('de'), language('en')]], [never(1)]],
  [
    'a language behind one that is not preferred to it',
    [[language('de')], [language('de', 'en')], [language('en')]],
    [unreachable(3, 2)],
  ],
  [
    'a subdomain behind its domain',
    [[referrer('a.example')], [referrer('b.a.example')]],
    [unreachable(2, 1)],
  ],
  ['a domain behind its subdomain', [[referrer('b.a.example')], [referrer('a.example')]], []],
  ['a domain that only ends alike', [[referrer('a.example')], [referrer('ba.example')]], []],
  ['two values of a parameter', [[query('a', '1'), query('a', '2')]], [never(1)]],
  ['two parameters', [[query('a', '1'), query('b', '2')]], []],
  ['a parameter with a value and without it', [[exists('a', false), query('a', '')]], [never(1)]],
  ['an end in the past', [[until('2026-11-30T12:34:56.789Z')]], [never(1)]],
  ['an end in a millisecond', [[until('2026-11-30T12:34:56.790Z')]], []],
  ['an end before the start', [[from('2027-01-02T00:00:00Z'), until('2027-01-01T00:00:00Z')]], [never(1)]],
  [
    'a start in the past',
    [[from('2020-01-01T00:00:00Z')], [from('2021-01-01T00:00:00Z')]],
    [unreachable(2, 1)],
  ],
  ['a start in three years', [[from('2029-12-01T00:00:00Z')]], []],
  ['an end in three years', [[until('2029-12-01T00:00:00Z')], []], [unreachable(2, 1)]],
  [
    'an offer that ends, and what follows',
    [[until('2027-01-01T00:00:00Z')], [from('2027-01-01T00:00:00Z')], []],
    [unreachable(3)],
  ],
  ['hours of day and of night', [[hours('08:00', '20:00')], [hours('20:00', '08:00')], []], [unreachable(3)]],
  ['hours that miss a minute', [[hours('08:00', '20:00')], [hours('20:01', '08:00')], []], []],
  [
    'hours of two days',
    [[{ hours: { days: ['MONDAY'], timeZone: 'UTC' } }, { hours: { days: ['TUESDAY'], timeZone: 'UTC' } }]],
    [never(1)],
  ],
  [
    'a night that begins on a day',
    [
      [
        { hours: { days: ['MONDAY'], from: '22:00', to: '06:00', timeZone: 'UTC' } },
        { hours: { days: ['TUESDAY'], timeZone: 'UTC' } },
      ],
    ],
    [],
  ],
  [
    'hours that two zones have in summer alone',
    [[hours('09:00', '10:00'), hours('08:00', '09:00', 'Africa/Lagos')]],
    [],
  ],
  [
    'these in a winter',
    [[hours('09:00', '10:00'), hours('08:00', '09:00', 'Africa/Lagos'), until('2027-03-28T01:00:00Z')]],
    [never(1)],
  ],
  [
    'a day on which the hour is left out',
    [[hours('02:00', '03:00'), from('2027-03-27T12:00:00Z'), until('2027-03-28T12:00:00Z')]],
    [never(1)],
  ],
])('says of %s', (_what, lists, faults) => {
  expect(analyseRules(parse(lists), now)).toEqual(faults);
});

test('finds the faults that trying all visitors finds', () => {
  const { silent, found } = compareAnalysis(300, now);
  expect(silent).toBeLessThanOrEqual(3);
  expect(Object.keys(found).sort()).toEqual(['DUPLICATE', 'NEVER', 'UNREACHABLE', 'UNREACHABLE together']);
});

test('says with fewer steps less, and nothing else', () => {
  fc.assert(
    fc.property(ruleLists(now), fc.integer({ min: 1, max: 2_000 }), (stored, steps) => {
      const { rules } = parseRules(stored);
      const all = analyseRules(rules, now);
      for (const fault of analyseRules(rules, now, steps)) expect(all).toContainEqual(fault);
    }),
    { numRuns: 300 },
  );
});

const places = Array.from({ length: 20 }, (_, place) => place);
const long: [string, StoredCondition[][]][] = [
  [
    'twelve thousand hosts',
    places.map((rule) => places.slice(0, 10).map((list) => referrer(...hostsOf(rule, list)))),
  ],
  [
    'rules that leave out a part of five parameters each',
    places.map((rule) =>
      rule === 19
        ? []
        : ['a', 'b', 'c', 'd', 'e'].map((name, index) => ({
            query: { name, notIn: [`${rule}`, `${(rule * 7 * index) % 19}`] },
          })),
    ),
  ],
];

function hostsOf(rule: number, list: number): string[] {
  return Array.from({ length: 60 }, (_, host) => `${rule}-${list}-${host}.example`);
}

test('looks at the clocks of ten time zones, and is silent on more', () => {
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone.startsWith('Europe/'))];
  const listed = (count: number) =>
    parse(
      [
        ...zones.slice(0, count).map((zone) => [hours('09:00', '17:00', zone)]),
        [country('DE'), country('FR')],
      ].slice(-20),
    );
  expect(analyseRules(listed(10), now)).toContainEqual(never(11));
  expect(analyseRules(listed(11), now)).toEqual([]);
});

test.each(long)('is silent on %s', (_what, lists) => {
  const rules = parse([...lists.slice(0, 19), []]);
  expect(analyseRules(rules, now).filter(({ rule }) => rule === 20)).toEqual([]);
});

test('has enough steps for twenty rules with hours and times of their own in five zones', () => {
  const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo', 'Australia/Lord_Howe', 'Europe/London'];
  const lists = places.map((place) => [
    hours(
      `${String(place).padStart(2, '0')}:15`,
      `${String((place * 7) % 24).padStart(2, '0')}:45`,
      zones[place % 5],
    ),
    from(new Date(now + place * 30 * 86_400_000).toISOString()),
  ]);
  const rules = parse([...lists.slice(0, 19), [country('DE'), country('FR')]]);
  expect(analyseRules(rules, now)).toContainEqual(never(20));
  expect(analyseRules(rules, now)).toEqual(analyseRules(rules, now, 100 * MAX_STEPS));
});

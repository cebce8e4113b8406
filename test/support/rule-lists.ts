import fc from 'fast-check';
import { expect } from 'vitest';
import { analyseRules, type RuleFault } from '../../src/domain/rule/analyse.ts';
import { domainsOf } from '../../src/domain/rule/facts.ts';
import { firstUnmet, meets } from '../../src/domain/rule/match.ts';
import { parseRules } from '../../src/domain/rule/parse.ts';
import type { Condition, Facts, ListKind, ParsedRules } from '../../src/domain/rule/parsed.ts';
import { type StoredCondition, type StoredRules, weekdays } from '../../src/domain/rule/stored.ts';
import { matchLanguage } from '../../src/domain/visit/visitor.ts';
import { keysOf } from '../../src/engine/tools/keys-of.ts';

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** Values of each list, of which a condition names at most three. */
const pools = {
  country: ['DE', 'FR', 'US', 'XK'],
  language: ['de', 'en', 'no', 'nb'],
  platform: ['IOS', 'ANDROID', 'WINDOWS'],
  device: ['DESKTOP', 'MOBILE', 'TABLET', 'OTHER'],
  browser: ['Chrome', 'Firefox', 'Safari'],
  referrer: ['a.example', 'b.a.example', 'c.b.a.example', 'xa.example'],
} as const satisfies Record<ListKind, readonly string[]>;

const VALUES = ['', 'a', 'b', 'A'];
const PARAMETERS = ['utm_source', 'x'];
const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];
const CLOCKS = ['00:00', '01:30', '02:00', '02:30', '03:00', '09:00', '17:00', '22:00'];
const MORNING = ['07:00', '08:00', '09:00', '10:00'];
/** Zones that change their clocks, each with one that does not and has the time of its winter. */
const PAIRS = [
  ['Europe/Berlin', 'Africa/Lagos'],
  ['America/New_York', 'America/Panama'],
  ['Australia/Lord_Howe', 'Australia/Darwin'],
] as const;
/** Borders of time, from now. */
const BORDERS = [-400 * DAY, -1, 0, 1, HOUR, 3 * DAY, 40 * DAY, 117 * DAY, 300 * DAY, 729 * DAY, 1_100 * DAY];

const some = (values: readonly string[]) =>
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 });
const choice = (values: readonly string[]) =>
  fc.oneof(
    some(values).map((listed) => ({ in: listed })),
    some(values).map((listed) => ({ notIn: listed })),
  );
const lists = keysOf(pools).map((kind) =>
  choice(pools[kind]).map((one): StoredCondition => ({ [kind]: one })),
);
const query = fc
  .tuple(
    fc.constantFrom(...PARAMETERS),
    fc.oneof(
      choice(VALUES),
      fc.boolean().map((exists) => ({ exists })),
    ),
  )
  .map(([name, one]): StoredCondition => ({ query: { name, ...one } }));

function timeConditions(borders: readonly number[]): fc.Arbitrary<StoredCondition> {
  const border = fc.constantFrom(...borders).map((at) => new Date(at).toISOString());
  return fc
    .oneof(
      border.map((from) => ({ from })),
      border.map((until) => ({ until })),
      fc.record({ from: border, until: border }),
    )
    .map((time) => ({ time }));
}

function hoursConditions(zones: readonly string[], clocks: readonly string[]): fc.Arbitrary<StoredCondition> {
  const days = fc.uniqueArray(fc.constantFrom(...keysOf(weekdays)), { minLength: 1, maxLength: 3 });
  const clock = fc.constantFrom(...clocks);
  const all = { days, from: clock, to: clock, timeZone: fc.constantFrom(...zones) };
  return fc.record(all, { requiredKeys: ['timeZone'] }).map((hours) => ({ hours }));
}

/** Returns a condition, and the one that all others meet, so that rules often cover another one together. */
function withOpposite(condition: StoredCondition): StoredCondition[] {
  const { platform, query, time, hours } = condition;
  if (platform?.in) return [condition, { platform: { notIn: platform.in } }];
  if (query?.exists !== undefined) return [condition, { query: { ...query, exists: !query.exists } }];
  if (time?.from && !time.until) return [condition, { time: { until: time.from } }];
  if (hours && !hours.days && hours.from !== hours.to)
    return [
      condition,
      { hours: { timeZone: hours.timeZone, from: hours.to ?? '00:00', to: hours.from ?? '00:00' } },
    ];
  return [condition];
}

/** Lists of at most 4 rules of 3 conditions, with 2 borders of time and 2 zones, in which equal conditions are frequent. */
export function ruleLists(now: number): fc.Arbitrary<StoredRules> {
  const twoOf = <Value>(values: readonly Value[]) =>
    fc.tuple(fc.constantFrom(...values), fc.constantFrom(...values));
  const time = twoOf(BORDERS.map((border) => now + border)).map(timeConditions);
  const rulesOf = (conditions: fc.Arbitrary<StoredCondition>, max: number) =>
    fc.array(conditions, { minLength: 1, maxLength: max }).chain((some) => {
      const condition = fc.constantFrom(...some.flatMap(withOpposite));
      return fc.array(fc.array(condition, { maxLength: 3 }), { minLength: 1, maxLength: 4 });
    });
  // Rules that cover each later one together.
  const covering = (condition: fc.Arbitrary<StoredCondition>) =>
    fc
      .tuple(condition.map(withOpposite), fc.array(fc.array(condition, { maxLength: 3 }), { maxLength: 2 }))
      .map(([pair, others]) => [...pair.map((one) => [one]), ...others]);
  const mixed = fc.tuple(time, twoOf(ZONES)).chain(([times, zones]) => {
    const hours = hoursConditions(zones, CLOCKS);
    const condition = fc.oneof(...lists, query, query, times, times, hours, hours);
    return fc.oneof({ weight: 3, arbitrary: rulesOf(condition, 7) }, covering(condition));
  });
  // In two zones, hours lie otherwise to each other in summer.
  const clocks = fc.tuple(time, fc.constantFrom(...PAIRS)).chain(([times, zones]) => {
    const hours = hoursConditions(zones, MORNING);
    return rulesOf(fc.oneof({ weight: 4, arbitrary: hours }, times), 4);
  });
  return fc.oneof(mixed, mixed, clocks).map((rules) => ({
    next: rules.length + 1,
    rules: rules.map((when, index) => ({
      id: index + 1,
      name: `Rule ${index + 1}`,
      when,
      to: [{ id: 100 + index, name: 'Target', url: 'https://example.com/', weight: 1 }],
    })),
  }));
}

/** A visitor, or a part of one; the query by its parameters. */
type Visitor = Partial<Omit<Facts, 'query'>> & {
  readonly query?: Readonly<Record<string, string | undefined>>;
};

function factsOf({ query = {}, ...known }: Visitor): Facts {
  return {
    ...{ country: null, language: null, platform: null, device: null, browser: null, referrers: null, at: 0 },
    ...known,
    query: (name) => query[name],
  };
}

/** Returns the end of the two years that an analysis looks at. */
export function endOfAnalysis(now: number): number {
  const end = new Date(now);
  return end.setUTCFullYear(end.getUTCFullYear() + 2);
}

/** Returns the times at which a condition may begin or end: borders, and the hours of the days around them, and around changes of clocks. */
function timesOf(conditions: readonly Condition[], now: number): number[] {
  const end = endOfAnalysis(now);
  const times = conditions.flatMap((one) => (one.kind === 'time' ? [one.from, one.until] : []));
  const hours = conditions.filter((one) => one.kind === 'hours');
  const changes = [...new Set(hours.map(({ zone }) => zone))].flatMap((zone) => zone.changesIn(now, end));
  const found = new Set<number>();
  for (const anchor of new Set([now, end, ...times.filter(Number.isFinite), ...changes])) {
    found.add(anchor);
    for (const { from, to, zone } of hours)
      for (let day = -9; day <= 9; day++)
        for (const minutes of [from, to, 0]) {
          const local = Math.floor(anchor / DAY) * DAY + day * DAY + minutes * 60_000;
          for (const near of [-9, 9]) found.add(local - zone.offsetAt(anchor + near * DAY));
        }
  }
  return [...found].flatMap((at) => [at - 1, at, at + 1]).filter((at) => at >= now && at < end);
}

/** Returns visitors by each attribute: one with each named value, and some with other values and none. */
function visitorsBy({ rules, languages }: ParsedRules, now: number): Visitor[][] {
  const conditions = rules.flatMap(({ when }) => when);
  const named = (kind: ListKind | 'query') =>
    new Set(conditions.flatMap((one) => (one.kind === kind ? [...one.values] : [])));
  const accepted = [...languages, '', 'zu', 'nb', 'no', 'nn', 'de;q=0.2,nb;q=0.9', '*', 'en,*;q=0.1'];
  const hosts = [...named('referrer')];
  const values = ['other', ...named('query'), undefined];
  return [
    [...named('country'), 'ZW', null].map((country) => ({ country })),
    [...named('platform'), 'UBUNTU', null].map((platform) => ({ platform })),
    [...named('device'), null].map((device) => ({ device })),
    [...named('browser'), 'Lynx', null].map((browser) => ({ browser })),
    [...hosts, ...hosts.map((host) => `s.${host}`), 'ample', null].map((host) => ({
      referrers: domainsOf(host),
    })),
    accepted.map((acceptLanguage) => ({
      language: matchLanguage(languages, { acceptLanguage })?.language ?? null,
    })),
    values.flatMap((one) => values.map((other) => ({ query: { utm_source: one, x: other } }))),
    timesOf(conditions, now).map((at) => ({ at })),
  ];
}

/** Returns the sets of rules that visitors match, of all combinations of their attributes. Rules are bits. */
function matchAll(parsed: ParsedRules, now: number): Set<number> {
  const conditions = parsed.rules.flatMap(({ when }) => when);
  // Of visitors who meet the same conditions, one is enough.
  const met = (visitor: Visitor) => conditions.map((one) => Number(meets(one, factsOf(visitor)))).join('');
  let visitors: Visitor[] = [{}];
  for (const some of visitorsBy(parsed, now)) {
    const distinct = new Map(some.map((visitor) => [met(visitor), visitor]));
    visitors = visitors.flatMap((one) => [...distinct.values()].map((other) => ({ ...one, ...other })));
  }
  return new Set(
    visitors.map((visitor) => {
      const facts = factsOf(visitor);
      return parsed.rules.reduce(
        (bits, rule, place) => (firstUnmet(rule, facts) === undefined ? bits | (1 << place) : bits),
        0,
      );
    }),
  );
}

/** Returns conditions as a text, which does not depend on orders. */
function conditionsOf(when: readonly Condition[]): string {
  const texts = when.map((one) =>
    JSON.stringify({
      ...one,
      ...('values' in one && { values: [...one.values].sort() }),
      ...('zone' in one && { zone: one.zone.name }),
    }),
  );
  return [...new Set(texts)].sort().join();
}

/** Returns the faults of rules by trying all visitors. */
export function faultsByTrying(stored: StoredRules, now: number): RuleFault[] {
  const parsed = parseRules(stored);
  const sets = [...matchAll(parsed, now)];
  const matches = (place: number) => sets.filter((set) => set & (1 << place));
  const covers = (other: number, place: number) => matches(place).every((set) => set & (1 << other));
  return parsed.rules.flatMap(({ id: rule, when }, place): RuleFault[] => {
    const times = when.filter((one) => one.kind === 'time');
    const from = Math.max(...times.map((one) => one.from));
    if (from >= endOfAnalysis(now) && from < Math.min(...times.map((one) => one.until))) return [];
    if (matches(place).length === 0) return [{ rule, kind: 'NEVER' }];
    const earlier = parsed.rules.slice(0, place).map((one, index) => ({ ...one, index }));
    const same = earlier.find((one) => conditionsOf(one.when) === conditionsOf(when));
    if (same) return [{ rule, kind: 'DUPLICATE', by: same.id }];
    const by = earlier.find(({ index }) => covers(index, place))?.id;
    const isFirst = matches(place).some((set) => (set & -set) === 1 << place);
    if (isFirst) return [];
    return [{ rule, kind: 'UNREACHABLE', ...(by !== undefined && { by }) }];
  });
}

/** Tries lists of rules. Returns the number of those of which the analysis said too little. Throws if it says what is wrong. */
export function compareAnalysis(
  numRuns: number,
  now: number,
): { silent: number; found: Record<string, number> } {
  let silent = 0;
  const found: Record<string, number> = {};
  fc.assert(
    fc.property(ruleLists(now), (stored) => {
      const faults = faultsByTrying(stored, now);
      const said = analyseRules(parseRules(stored).rules, now);
      for (const one of said) expect(faults).toContainEqual(one);
      if (said.length < faults.length) silent++;
      for (const { kind, by } of faults) {
        const name = kind === 'UNREACHABLE' && by === undefined ? 'UNREACHABLE together' : kind;
        found[name] = (found[name] ?? 0) + 1;
      }
    }),
    { numRuns },
  );
  return { silent, found };
}

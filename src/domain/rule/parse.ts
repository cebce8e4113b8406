import { keysOf } from '../../engine/tools/keys-of.ts';
import {
  type Condition,
  type ListCondition,
  listKinds,
  type ParsedRule,
  type ParsedRules,
} from './parsed.ts';
import {
  type Choice,
  type StoredCondition,
  type StoredHours,
  type StoredRules,
  type StoredTest,
  type Weekday,
  weekdays,
} from './stored.ts';
import { zoneNamed } from './zone.ts';

/** The column of a link that never had rules. */
export const NO_STORED_RULES = '{"next":1,"rules":[]}';
const NOTHING: StoredRules = { next: 1, rules: [] };
export const NO_RULES: ParsedRules = { rules: [], languages: [], hasSplits: false, bytes: 0 };

/** The rules in the column of a link. */
export function readStoredRules(text: string): StoredRules {
  return text === NO_STORED_RULES ? NOTHING : JSON.parse(text);
}

/** The tests in the column of a link. */
export function readStoredTests(text: string): readonly StoredTest[] {
  return text === '[]' ? [] : JSON.parse(text);
}

const days = keysOf(weekdays);
const EVERY_DAY = 0b1111111;

/** The bits of days of the week. */
function daysOf(names: readonly Weekday[] | undefined): number {
  return names?.reduce((bits, name) => bits | (1 << days.indexOf(name)), 0) ?? EVERY_DAY;
}

/** Minutes since midnight of `HH:MM`. */
function minutesIn(time = '00:00'): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** A condition that nobody meets, for those of a later version, and for hours in a zone that this version of Node does not know. */
const NEVER: Condition = { kind: 'time', from: Infinity, until: -Infinity };

function parseHours({ days: named, from, to, timeZone }: StoredHours): Condition {
  const zone = zoneNamed(timeZone);
  if (zone === null) return NEVER;
  return { kind: 'hours', days: daysOf(named), from: minutesIn(from), to: minutesIn(to), zone };
}

function parseList(kind: ListCondition['kind'], choice: Choice): ListCondition {
  return choice.in
    ? { kind, test: 'in', values: new Set(choice.in) }
    : { kind, test: 'notIn', values: new Set(choice.notIn) };
}

function parseCondition(stored: StoredCondition): Condition {
  const { query, time, hours } = stored;
  if (hours) return parseHours(hours);
  if (time)
    return {
      kind: 'time',
      from: time.from === undefined ? -Infinity : Date.parse(time.from),
      until: time.until === undefined ? Infinity : Date.parse(time.until),
    };
  if (query) {
    const { name, in: listed, notIn, exists } = query;
    if (listed) return { kind: 'query', name, test: 'in', values: new Set(listed) };
    if (notIn) return { kind: 'query', name, test: 'notIn', values: new Set(notIn) };
    return { kind: 'query', name, test: exists === false ? 'missing' : 'exists', values: new Set() };
  }
  for (const kind of listKinds) {
    const choice = stored[kind];
    if (choice) return parseList(kind, choice);
  }
  return NEVER;
}

/** Bytes of memory that a rule or condition, and a value of a set, take besides their texts. */
const [OBJECT_BYTES, VALUE_BYTES] = [400, 60];

function countBytes(rules: readonly ParsedRule[]): number {
  let bytes = 0;
  for (const { name, when, to } of rules) {
    bytes += OBJECT_BYTES + 2 * name.length;
    for (const target of to) bytes += OBJECT_BYTES + 2 * (target.name.length + target.url.length);
    for (const condition of when) {
      bytes += OBJECT_BYTES;
      if (!('values' in condition)) continue;
      for (const value of condition.values) bytes += VALUE_BYTES + 2 * value.length;
    }
  }
  return bytes;
}

/** The rules of a link as visits read them. */
export function parseRules({ rules: stored }: Pick<StoredRules, 'rules'>): ParsedRules {
  if (stored.length === 0) return NO_RULES;
  const rules = stored.map(({ when, ...rule }) => ({ ...rule, when: when.map(parseCondition) }));
  const languages = new Set<string>();
  for (const { when } of rules)
    for (const condition of when)
      if (condition.kind === 'language') for (const one of condition.values) languages.add(one);
  const hasSplits = rules.some(({ to }) => to.filter(({ weight }) => weight > 0).length > 1);
  return { rules, languages: [...languages], hasSplits, bytes: countBytes(rules) };
}

const parsed = (rules: string | ParsedRules): ParsedRules =>
  typeof rules === 'string' ? parseRules(readStoredRules(rules)) : rules;

/** Every URL of the rules. */
export function urlsIn(rules: string | ParsedRules): string[] {
  if (rules === NO_STORED_RULES) return [];
  return parsed(rules).rules.flatMap(({ to }) => to.map(({ url }) => url));
}

/** The URLs to which the rules lead some visitors at a time. */
export function urlsLedTo(rules: string | ParsedRules, at: number): string[] {
  if (rules === NO_STORED_RULES) return [];
  const isOver = (one: Condition) => one.kind === 'time' && (at < one.from || at >= one.until);
  return parsed(rules)
    .rules.filter(({ when }) => !when.some(isOver))
    .flatMap(({ to }) => to.flatMap(({ url, weight }) => (weight > 0 ? [url] : [])));
}

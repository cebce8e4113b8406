import {
  type ConditionField,
  type ConditionKind,
  emptyCondition,
  parseWeight,
  type RuleField,
  type RuleTargetField,
  type RuleTestField,
} from './rule-fields.ts';

// The edits of rules in their form, which loads them, apart from what every page needs.

export const MAX_RULES = 20;
export const MAX_CONDITIONS = 10;
export const MAX_TARGETS = 10;
export const MAX_TESTS = 20;

let made = 0;
/** A key that no stored rule or target has, and none of a draft. */
const newKey = (): string => `new ${Date.now().toString(36)} ${made++}`;

/** @param timeZone the zone of hours */
export const newCondition = (kind: ConditionKind, timeZone: string): ConditionField => ({
  ...emptyCondition,
  kind,
  ...(kind === 'hours' && { timeZone }),
});

export const newTarget = (weight = '1'): RuleTargetField => ({
  ...{ key: newKey(), id: '', name: '', url: '', weight },
});

export const newRule = (): RuleField => ({ key: newKey(), id: '', name: '', when: [], to: [newTarget()] });

/** True for a rule that leads all visitors who reach it, somewhere. */
export const isForEverybody = ({ when, adding = '', to }: RuleField): boolean =>
  when.length === 0 && adding === '' && to.some(({ url }) => url !== '');

/** The place of a new rule: before one for everybody, behind which it would lead nobody. */
export const placeOfNew = (rules: readonly RuleField[]): number => {
  const found = rules.findIndex(isForEverybody);
  return found === -1 ? rules.length : found;
};

/** The list with one item in another place. */
export function moved<Item>(list: readonly Item[], from: number, to: number): Item[] {
  const item = list[from];
  return item === undefined ? [...list] : list.toSpliced(from, 1).toSpliced(to, 0, item);
}

const sumOf = (targets: readonly RuleTargetField[]): number =>
  targets.reduce((sum, { weight }) => sum + Math.max(0, parseWeight(weight)), 0);

/** The share of visitors that a target gets, from 0 to 1. */
export function shareOf(targets: readonly RuleTargetField[], { weight }: RuleTargetField): number {
  const sum = sumOf(targets);
  return sum === 0 ? 0 : Math.max(0, parseWeight(weight)) / sum;
}

/** Parts of a hundred that are as equal as can be. */
const equalParts = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => String(Math.floor(100 / count) + (at < 100 % count ? 1 : 0)));

/** One more target: with equal shares if the shares are equal now, else with their mean. */
export function withOneMore(targets: readonly RuleTargetField[]): RuleTargetField[] {
  const count = targets.length + 1;
  const weights = targets.map(({ weight }) => parseWeight(weight));
  const isEqual = Math.max(...weights) - Math.min(...weights) <= 1;
  if (!isEqual) return [...targets, newTarget(String(Math.round(sumOf(targets) / targets.length)))];
  const parts = equalParts(count);
  return [...targets, newTarget()].map((one, at) => ({ ...one, weight: parts[at] ?? one.weight }));
}

/** Fewer targets; the last one gets everybody. */
export function withoutTarget(targets: readonly RuleTargetField[], index: number): RuleTargetField[] {
  const left = targets.toSpliced(index, 1);
  return left.length === 1 ? left.map((one) => ({ ...one, weight: '1' })) : left;
}

/** Another weight. Of two targets with a hundred together, the other one gets the rest. */
export function withWeight(
  targets: readonly RuleTargetField[],
  index: number,
  weight: string,
): RuleTargetField[] {
  const parsed = weight.trim() === '' ? 0 : parseWeight(weight);
  const isRest = targets.length === 2 && sumOf(targets) === 100 && parsed >= 0 && parsed <= 100;
  return targets.map((one, at) => {
    if (at === index) return { ...one, weight };
    return isRest ? { ...one, weight: String(100 - parsed) } : one;
  });
}

/** The tests, with a rule by its new name. */
export const withRenamed = (
  tests: readonly RuleTestField[],
  before: string,
  name: string,
): readonly RuleTestField[] =>
  tests.some(({ expect }) => expect.is === 'rule' && expect.text === before)
    ? tests.map((test) =>
        test.expect.is === 'rule' && test.expect.text === before
          ? { ...test, expect: { is: 'rule', text: name } }
          : test,
      )
    : tests;

import type { FieldError } from '../../engine/rules/errors.ts';
import { fieldError } from '../../engine/rules/errors.ts';
import { toAscii } from '../../engine/rules/url.ts';
import { encodeBidi } from '../../engine/tools/bidirectional.ts';
import type { Link } from '../../generated/sqlite/client.ts';
import { refusal } from '../rules.ts';
import type { GivenRule, GivenTest } from './input.ts';
import { parseRules, readStoredRules, readStoredTests } from './parse.ts';
import { encodeRules, resolveRules, resolveTests, sizeError } from './resolve.ts';
import type { StoredRule, StoredTarget, StoredTest } from './stored.ts';
import { MAX_TEST_STEPS, runTests, TOO_MUCH_WORK, unledTests } from './tests.ts';

/** The parts of an input that set rules and tests. */
export interface RulesInput {
  readonly rules?: readonly GivenRule[] | undefined;
  readonly ruleTests?: readonly GivenTest[] | undefined;
}

/** The columns of a link with rules and tests. */
export type RuleColumns = Pick<Link, 'rules' | 'ruleTests'>;

/** A result, and the texts that it was made of. */
interface Known<Result> {
  readonly of: readonly (string | null)[];
  readonly result: Result;
}

/** Remembers the last result of a list: the steps of a write, from its checks to its columns, ask for it several times. */
function once<Result>() {
  const known = new WeakMap<object, Known<Result>>();
  return (list: object, of: Known<Result>['of'], make: () => Result): Result => {
    const last = known.get(list);
    if (last?.of.every((text, index) => text === of[index])) return last.result;
    const result = make();
    known.set(list, { of, result });
    return result;
  };
}

const rulesOnce = once<{ readonly text: string; readonly errors: readonly FieldError[] }>();
const testsOnce = once<string>();
const failuresOnce = once<FieldError[]>();

/** The rules of an input as their column stores them, and the errors of their ids and names. */
function settleRules(given: readonly GivenRule[], stored: string | null) {
  return rulesOnce(given, [stored], () => {
    const { rules, errors } = resolveRules(given, stored === null ? null : readStoredRules(stored));
    return { text: encodeRules(rules), errors };
  });
}

/**
 * The columns that an input sets; absent ones are undefined.
 * @param stored null for a new link
 */
export function ruleColumns({ rules, ruleTests }: RulesInput, stored: RuleColumns | null, now: Date) {
  const tests = stored?.ruleTests ?? '[]';
  return {
    rules: rules && settleRules(rules, stored?.rules ?? null).text,
    ruleTests:
      ruleTests &&
      testsOnce(ruleTests, [tests, now.toISOString()], () =>
        JSON.stringify(resolveTests(ruleTests, readStoredTests(tests), now)),
      ),
  };
}

/** The columns with the rules of an earlier time: an input that brings those back may name their ids. New ids are larger than all. */
export function withEarlierRules<Columns extends RuleColumns>(stored: Columns, earlier: string): Columns {
  const { next, rules } = readStoredRules(earlier);
  const counter = Math.max(next, readStoredRules(stored.rules).next);
  return { ...stored, rules: encodeRules({ next: counter, rules }) };
}

/** The errors of the ids and names in an input, and of its size. */
export function ruleErrors(input: RulesInput, stored: RuleColumns | null, now: Date): readonly FieldError[] {
  const { rules, ruleTests } = input;
  if (rules === undefined && ruleTests === undefined) return [];
  const named = rules === undefined ? [] : settleRules(rules, stored?.rules ?? null).errors;
  return named.length > 0 ? named : sizeErrors(ruleColumns(input, stored, now));
}

/** The rules without the ids of rules and targets, which are those of one link. */
export function withoutIds(rules: readonly StoredRule[]) {
  return rules.map(({ name, when, to }) => ({ name, when, to: to.map(({ id: _, ...target }) => target) }));
}

/** The errors of columns that are too large, as parameters in their URLs can make them. */
function sizeErrors({
  rules,
  ruleTests,
}: { [Column in keyof RuleColumns]?: string | undefined }): FieldError[] {
  return [sizeError('rules', rules ?? '') ?? [], sizeError('ruleTests', ruleTests ?? '') ?? []].flat();
}

/** The errors of tests that fail, as the columns will be, and of columns that get too large. Tests are checked if an input has rules or tests. */
export function testErrors(
  { rules: given, ruleTests: tests }: RulesInput,
  { url, rules, ruleTests }: RuleColumns & Pick<Link, 'url'>,
  stored: RuleColumns | null = null,
): FieldError[] {
  // The parameters of a template make columns larger, too.
  const errors = sizeErrors({
    rules: rules === stored?.rules ? undefined : rules,
    ruleTests: ruleTests === stored?.ruleTests ? undefined : ruleTests,
  });
  if (errors.length > 0 || (given === undefined && tests === undefined)) return errors;
  return failuresOnce(given ?? tests ?? [], [url, rules, ruleTests], () => {
    const all = readStoredTests(ruleTests);
    const { failed, reached } = runTests(parseRules(readStoredRules(rules)), url, all, MAX_TEST_STEPS);
    const unread = reached < all.length ? [{ test: reached, why: TOO_MUCH_WORK }] : [];
    return [...failed, ...unread].map(({ test, why }) =>
      fieldError(['ruleTests', String(test)], refusal('RULE_TEST', { reason: why })),
    );
  });
}

/** The tests of which no rule leads the visitor, and that expect the link's own URL, with that URL changed. */
export function mapOwnUrl({ rules, ruleTests }: RuleColumns, url: string, changed: string): string {
  const tests = readStoredTests(ruleTests);
  const unled = unledTests(parseRules(readStoredRules(rules)), tests);
  const isOwn = ({ expect }: StoredTest, test: number) =>
    expect.url !== undefined && toAscii(expect.url) === toAscii(url) && unled.has(test);
  return JSON.stringify(
    tests.map((one, test) => (isOwn(one, test) ? { ...one, expect: { url: changed } } : one)),
  );
}

/** The columns with each URL of the rules, and each that tests expect, changed. */
export function mapRuleUrls({ rules, ruleTests }: RuleColumns, change: (url: string) => string): RuleColumns {
  const stored = readStoredRules(rules);
  const tests = readStoredTests(ruleTests);
  const changed = stored.rules.map((rule) => ({
    ...rule,
    to: rule.to.map((target) => ({ ...target, url: change(target.url) })),
  }));
  const checked = tests.map(({ visitor, expect }) => ({
    visitor,
    expect: expect.url === undefined ? expect : { url: change(expect.url) },
  }));
  return { rules: encodeRules({ ...stored, rules: changed }), ruleTests: JSON.stringify(checked) };
}

interface NamedByDefault {
  readonly name?: string | null | undefined;
}

/** True if a stored name is the given one, or by its id where none is given. */
function hasName(
  what: 'Rule' | 'Target',
  { name }: NamedByDefault,
  stored: Pick<StoredTarget, 'id' | 'name'>,
) {
  return stored.name === (name ?? `${what} ${stored.id}`);
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

function isSameRule(given: GivenRule, stored: StoredRule): boolean {
  if (!hasName('Rule', given, stored) || !isEqual(given.when, stored.when)) return false;
  if (given.to.length !== stored.to.length) return false;
  return given.to.every((target, index) => {
    const other = stored.to[index];
    if (other === undefined || !hasName('Target', target, other)) return false;
    return encodeBidi(target.url) === other.url && target.weight === other.weight;
  });
}

/** True if the link has the rules and tests that are given, whatever their ids, and the time of tests that have none. */
export function hasSameRules({ rules, ruleTests }: RulesInput, stored: RuleColumns): boolean {
  const { rules: own } = readStoredRules(stored.rules);
  const tests = readStoredTests(stored.ruleTests);
  const sameRules =
    rules === undefined ||
    (rules.length === own.length &&
      rules.every((rule, index) => own[index] !== undefined && isSameRule(rule, own[index])));
  const sameTests =
    ruleTests === undefined ||
    (ruleTests.length === tests.length &&
      ruleTests.every(({ visitor, expect }, index) => {
        const other = tests[index];
        if (other === undefined || !isEqual(expect, other.expect)) return false;
        return isEqual({ at: other.visitor.at, ...visitor }, other.visitor);
      }));
  return sameRules && sameTests;
}

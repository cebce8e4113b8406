import type { Link } from '../../generated/sqlite/client.ts';
import { analyseRules, type RuleFault, ruleFaults } from './analyse.ts';
import { parseRules, readStoredRules, readStoredTests } from './parse.ts';
import type { ParsedRules } from './parsed.ts';
import { MAX_TEST_STEPS, runTests } from './tests.ts';

/** Kinds of warnings of a link's rules. */
export const ruleWarningKinds = { ...ruleFaults, TEST_FAILS: 'A test of the rules fails.' } as const;

export interface RuleWarning {
  readonly kind: keyof typeof ruleWarningKinds;
  /** The id of the rule; null for one of a test. */
  readonly rule: number | null;
  /** The id of the rule that covers it; null for none alone. */
  readonly by: number | null;
  /** The place of the test in the list; null for one of a rule. */
  readonly test: number | null;
  readonly message: string;
}

/** Describes a fault of a rule for people. */
function describeFault({ rule, kind, by }: RuleFault, rules: ParsedRules): string {
  const name = (id: number | undefined) => `"${rules.rules.find((one) => one.id === id)?.name}"`;
  if (kind === 'NEVER')
    return `The rule ${name(rule)} matches nobody: its conditions exclude each other, or lie in the past.`;
  if (kind === 'DUPLICATE')
    return `The rule ${name(rule)} has the same conditions as the earlier rule ${name(by)}.`;
  const leading =
    by === undefined ? 'several earlier rules together lead' : `the earlier rule ${name(by)} leads`;
  return `The rule ${name(rule)} leads nobody: ${leading} all visitors that it matches.`;
}

/** The warnings of a link's rules: those of rules in their order, then those of tests. */
export function listRuleWarnings(link: Pick<Link, 'url' | 'rules' | 'ruleTests'>, now: Date): RuleWarning[] {
  const rules = parseRules(readStoredRules(link.rules));
  const faults = analyseRules(rules.rules, now.getTime()).map((fault) => ({
    ...{ kind: fault.kind, rule: fault.rule, by: fault.by ?? null, test: null },
    message: describeFault(fault, rules),
  }));
  const tests = readStoredTests(link.ruleTests);
  const { failed } = runTests(rules, link.url, tests, MAX_TEST_STEPS);
  const failing = failed.map(({ test, why }) => ({
    ...({ kind: 'TEST_FAILS', rule: null, by: null, test } as const),
    message: `Test ${test + 1} fails: ${why}.`,
  }));
  return [...faults, ...failing];
}

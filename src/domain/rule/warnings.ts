import type { Link } from '../../generated/sqlite/client.ts';
import { parseRules, readStoredRules, readStoredTests } from './parse.ts';
import { failedTests } from './tests.ts';

/** What rules can be warned of. */
export const ruleWarningKinds = {
  UNREACHABLE: 'Earlier rules lead all visitors that the rule matches.',
  NEVER: 'The conditions of the rule exclude each other, or lie in the past.',
  DUPLICATE: 'The rule has the same conditions as an earlier one.',
  TEST_FAILS: 'A test of the rules fails.',
} as const;

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

/** The warnings of a link's rules. */
export function listRuleWarnings(link: Pick<Link, 'url' | 'rules' | 'ruleTests'>, _now: Date): RuleWarning[] {
  const rules = parseRules(readStoredRules(link.rules));
  return failedTests(rules, link.url, readStoredTests(link.ruleTests)).map(({ test, why }) => ({
    kind: 'TEST_FAILS',
    rule: null,
    by: null,
    test,
    message: `Test ${test + 1} fails: ${why}.`,
  }));
}

import { toAscii } from '../../engine/rules/url.ts';
import { factsOfTest } from './facts.ts';
import { findRule } from './match.ts';
import type { ParsedRules } from './parsed.ts';
import type { StoredTest } from './stored.ts';

/** A test that fails, by its place in the list, and why. */
export interface FailedTest {
  readonly test: number;
  readonly why: string;
}

/** Why the rules decide otherwise than the test expects; null if they do not. */
function whyFails(rules: ParsedRules, url: string, { visitor, expect }: StoredTest): string | null {
  const rule = findRule(rules.rules, factsOfTest(visitor, rules.languages));
  const leads = rule === undefined ? 'no rule leads' : `the rule "${rule.name}" leads`;
  if (expect.noRule !== undefined) return (rule === undefined) === expect.noRule ? null : leads;
  if (expect.rule !== undefined) return rule?.name === expect.rule ? null : leads;
  const expected = toAscii(expect.url ?? '');
  const led = rule === undefined ? [url] : rule.to.map((target) => target.url);
  if (led.some((one) => toAscii(one) === expected)) return null;
  return rule === undefined ? `${leads}, and so to the link's own URL` : `${leads}, to another URL`;
}

/**
 * The tests that fail.
 * @param url the link's own URL, to which visitors go for whom no rule leads
 */
export function failedTests(rules: ParsedRules, url: string, tests: readonly StoredTest[]): FailedTest[] {
  return tests.flatMap((one, test) => {
    const why = whyFails(rules, url, one);
    return why === null ? [] : [{ test, why }];
  });
}

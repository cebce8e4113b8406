import { toAscii } from '../../engine/rules/url.ts';
import { factsOfTest } from './facts.ts';
import { meets } from './match.ts';
import type { Condition, Facts, ParsedRule, ParsedRules } from './parsed.ts';
import { OutOfSteps, StepBudget } from './steps.ts';
import type { StoredTest, StoredVisitor } from './stored.ts';
import type { Zone } from './zone.ts';

/** A test that fails, by its place in the list, and why. */
export interface FailedTest {
  readonly test: number;
  readonly why: string;
}

/** Steps that tests may take when a link is read. They take less than 3 ms. */
export const MAX_TEST_STEPS = 20_000;
const [STEPS_OF_ZONE, STEPS_OF_HOURS, STEPS_OF_AGENT, STEPS_OF_URL] = [500, 30, 200, 20];

/** A run of tests, which spends steps before it takes them. */
class TestRun {
  readonly #rules: ParsedRules;
  readonly #budget: StepBudget;
  readonly #zones = new Set<Zone>();

  constructor(rules: ParsedRules, budget: StepBudget) {
    this.#rules = rules;
    this.#budget = budget;
  }

  #factsFor(visitor: StoredVisitor): Facts {
    const { query = '', language = '', userAgent = '' } = visitor;
    this.#budget.spend(1 + query.length + 2 * language.length + (userAgent === '' ? 0 : STEPS_OF_AGENT));
    return factsOfTest(visitor, this.#rules.languages);
  }

  #meets(condition: Condition, facts: Facts): boolean {
    if (condition.kind === 'hours') {
      this.#budget.spend(STEPS_OF_HOURS + (this.#zones.has(condition.zone) ? 0 : STEPS_OF_ZONE));
      this.#zones.add(condition.zone);
    } else this.#budget.spend(1 + (condition.kind === 'referrer' ? (facts.referrer?.length ?? 0) : 0));
    return meets(condition, facts);
  }

  #findRule(facts: Facts): ParsedRule | undefined {
    return this.#rules.rules.find(({ when }) => when.every((condition) => this.#meets(condition, facts)));
  }

  /** Why the rules decide otherwise than the test expects; null if they do not. */
  whyFails(url: string, { visitor, expect }: StoredTest): string | null {
    const rule = this.#findRule(this.#factsFor(visitor));
    const leads = rule === undefined ? 'no rule leads' : `the rule "${rule.name}" leads`;
    if (expect.noRule !== undefined) return (rule === undefined) === expect.noRule ? null : leads;
    if (expect.rule !== undefined) return rule?.name === expect.rule ? null : leads;
    const expected = toAscii(expect.url ?? '');
    const led = rule === undefined ? [url] : rule.to.map((target) => target.url);
    this.#budget.spend(STEPS_OF_URL * led.length);
    if (led.some((one) => toAscii(one) === expected)) return null;
    return rule === undefined ? `${leads}, and so to the link's own URL` : `${leads}, to another URL`;
  }
}

/**
 * The tests that fail. It says nothing of those for which no steps are left.
 * @param url the link's own URL, to which visitors go for whom no rule leads
 */
export function failedTests(
  rules: ParsedRules,
  url: string,
  tests: readonly StoredTest[],
  steps = Number.POSITIVE_INFINITY,
): FailedTest[] {
  const run = new TestRun(rules, new StepBudget(steps));
  const failed: FailedTest[] = [];
  try {
    for (const [test, one] of tests.entries()) {
      const why = run.whyFails(url, one);
      if (why !== null) failed.push({ test, why });
    }
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
  }
  return failed;
}

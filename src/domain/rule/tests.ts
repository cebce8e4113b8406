import { toAscii } from '../../engine/rules/url.ts';
import { isBot } from '../visit/bot.ts';
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

/** Steps that the tests of a link may take. They take less than 3 ms. */
export const MAX_TEST_STEPS = 20_000;
const [STEPS_OF_ZONE, STEPS_OF_CLOCK, STEPS_OF_AGENT, STEPS_OF_URL] = [500, 30, 200, 20];

/** A run of tests, which spends steps before it takes them. */
class TestRun {
  readonly #rules: ParsedRules;
  readonly #budget: StepBudget;
  /** The time for which the clock of a zone was read last. */
  readonly #read = new Map<Zone, number>();

  constructor(rules: ParsedRules, budget: StepBudget) {
    this.#rules = rules;
    this.#budget = budget;
  }

  #factsFor(visitor: StoredVisitor): Facts {
    const { query = '', language = '', referrer = '', userAgent = '' } = visitor;
    const texts = query.length + 2 * language.length + referrer.length;
    this.#budget.spend(1 + texts + (userAgent === '' ? 0 : STEPS_OF_AGENT));
    return factsOfTest(visitor, this.#rules.languages);
  }

  #meets(condition: Condition, facts: Facts): boolean {
    this.#budget.spend(1);
    if (condition.kind === 'referrer')
      this.#budget.spend(Math.min(condition.values.size, facts.referrers?.size ?? 0));
    if (condition.kind === 'hours') {
      const { zone } = condition;
      // A clock that was read for this time is not read again.
      if (this.#read.get(zone) !== facts.at) this.#budget.spend(STEPS_OF_CLOCK);
      if (!this.#read.has(zone)) this.#budget.spend(STEPS_OF_ZONE);
      this.#read.set(zone, facts.at);
    }
    return meets(condition, facts);
  }

  #findRule(facts: Facts): ParsedRule | undefined {
    return this.#rules.rules.find(({ when }) => when.every((condition) => this.#meets(condition, facts)));
  }

  /** True if a rule leads the visitor of a test. */
  leads({ visitor }: StoredTest): boolean {
    return this.#findRule(this.#factsFor(visitor)) !== undefined;
  }

  /** The URLs of a rule to which it may lead a visitor: of a split, a bot gets the first. */
  #targetsFor({ to }: ParsedRule, { userAgent = '' }: StoredVisitor): readonly string[] {
    const open = to.filter(({ weight }) => weight > 0).map((target) => target.url);
    if (open.length < 2 || userAgent === '') return open;
    this.#budget.spend(STEPS_OF_AGENT);
    return isBot({ userAgent }) ? open.slice(0, 1) : open;
  }

  /** Why the rules decide otherwise than the test expects; null if they do not. */
  whyFails(url: string, { visitor, expect }: StoredTest): string | null {
    const rule = this.#findRule(this.#factsFor(visitor));
    const leads = rule === undefined ? 'no rule leads' : `the rule "${rule.name}" leads`;
    if (expect.noRule !== undefined) return (rule === undefined) === expect.noRule ? null : leads;
    if (expect.rule !== undefined) return rule?.name === expect.rule ? null : leads;
    const expected = toAscii(expect.url ?? '');
    const led = rule === undefined ? [url] : this.#targetsFor(rule, visitor);
    this.#budget.spend(STEPS_OF_URL * led.length);
    if (led.some((one) => toAscii(one) === expected)) return null;
    return rule === undefined ? `${leads}, and so to the link's own URL` : `${leads}, to another URL`;
  }
}

/** The reason against a test that is not reached, where all are to be checked. */
export const TOO_MUCH_WORK = 'the tests take too long to check; have fewer tests, time zones or conditions';

/** The tests that fail, and the number of tests that were run before the steps ended. */
export interface TestResults {
  readonly failed: readonly FailedTest[];
  readonly reached: number;
}

/** Does the work for each test, and returns the number of those that it did before the steps ended. */
function forEachTest(tests: readonly StoredTest[], work: (test: StoredTest, place: number) => void): number {
  let reached = 0;
  try {
    for (const one of tests) work(one, reached++);
    return reached;
  } catch (error) {
    if (error instanceof OutOfSteps) return reached - 1;
    throw error;
  }
}

/**
 * Runs tests until no steps are left.
 * @param url the link's own URL, to which visitors go for whom no rule leads
 */
export function runTests(
  rules: ParsedRules,
  url: string,
  tests: readonly StoredTest[],
  steps: number,
): TestResults {
  const run = new TestRun(rules, new StepBudget(steps));
  const failed: FailedTest[] = [];
  const reached = forEachTest(tests, (one, test) => {
    const why = run.whyFails(url, one);
    if (why !== null) failed.push({ test, why });
  });
  return { failed, reached };
}

/** The places of the tests of which no rule leads the visitor. It is silent on those for which no steps are left. */
export function unledTests(rules: ParsedRules, tests: readonly StoredTest[]): ReadonlySet<number> {
  const run = new TestRun(rules, new StepBudget(MAX_TEST_STEPS));
  const unled = new Set<number>();
  forEachTest(tests, (one, test) => {
    if (!run.leads(one)) unled.add(test);
  });
  return unled;
}

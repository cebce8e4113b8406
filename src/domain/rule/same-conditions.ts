import type { Condition, ParsedRule } from './parsed.ts';
import type { StepBudget } from './steps.ts';

/** Returns what a condition asks besides its list of values, as a text. */
function asText(condition: Condition): string {
  const { kind } = condition;
  if (kind === 'time') return `${kind} ${condition.from} ${condition.until}`;
  if (kind === 'hours')
    return `${kind} ${condition.days} ${condition.from} ${condition.to} ${condition.zone.name}`;
  const name = kind === 'query' ? condition.name : '';
  return `${kind} ${condition.test} ${condition.values.size} ${name}`;
}

type Asked = ReadonlyMap<Condition, string>;

function isSame(one: [Condition, string], other: [Condition, string], budget: StepBudget): boolean {
  budget.spend(1);
  const [values, others] = [one, other].map(([condition]) =>
    'values' in condition ? condition.values : null,
  );
  if (one[1] !== other[1]) return false;
  if (!values || !others) return true;
  for (const value of values) {
    budget.spend(1);
    if (!others.has(value)) return false;
  }
  return true;
}

/** True if each condition is also one of the others. */
function areAmong(some: Asked, others: Asked, budget: StepBudget): boolean {
  return [...some].every((one) => [...others].some((other) => isSame(one, other, budget)));
}

/**
 * Returns for each rule the place of the first earlier one with the same conditions, or -1. The order of conditions and of their
 * values, and copies of either, make no difference.
 */
export function findSame(rules: readonly ParsedRule[], budget: StepBudget): number[] {
  const asked = rules.map(
    ({ when }): Asked => new Map(when.map((condition) => [condition, asText(condition)])),
  );
  budget.spend(STEPS_OF_TEXT * asked.reduce((sum, { size }) => sum + size, 0));
  return asked.map((own, place) =>
    asked.slice(0, place).findIndex((other) => areAmong(own, other, budget) && areAmong(other, own, budget)),
  );
}

/** Steps that the text of a condition takes. */
const STEPS_OF_TEXT = 5;

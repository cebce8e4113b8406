import type { Condition, ParsedRule } from './parsed.ts';
import type { StepBudget } from './steps.ts';

// The values of an attribute, which may be endless, in a few cells: a cell is the set of rules whose conditions on that
// attribute its values meet. Rules are bits: bit 0 is the first one.

/** All values of an attribute, each cell once. */
export type Cells = readonly number[];

/** Returns the bits of the first rules. */
export function firstRules(count: number): number {
  return (1 << count) - 1;
}

type ValueCondition = Exclude<Condition, { readonly kind: 'time' | 'hours' }>;

/** A condition of a rule on an attribute. */
interface Placed {
  readonly bit: number;
  readonly condition: ValueCondition;
  /** True if a value must be listed, false if it must not. */
  readonly isIn: boolean;
  /** The number of earlier conditions of the rule on the attribute by which a value must be listed. */
  readonly earlier: number;
}

const isAboutValue = (condition: Condition): condition is ValueCondition =>
  condition.kind !== 'time' && condition.kind !== 'hours';

/** A query parameter that is missing. Those that are not begin with an equals sign. */
const MISSING = ['missing'];

function* valuesOf({ kind, test, values }: ValueCondition): Generator<string> {
  if (test === 'exists' || test === 'missing') yield* MISSING;
  else if (kind === 'query') for (const value of values) yield `=${value}`;
  else yield* values;
}

/** Groups the conditions of rules by their attribute. */
function groupByAttribute(rules: readonly ParsedRule[], budget: StepBudget): Map<string, Placed[]> {
  const groups = new Map<string, Placed[]>();
  for (const [place, { when }] of rules.entries())
    for (const condition of when.filter(isAboutValue)) {
      const { kind, test, values } = condition;
      budget.spend(STEPS_OF_CONDITION + STEPS_OF_VALUE * values.size);
      const attribute = kind === 'query' ? `query ${condition.name}` : kind;
      const group = groups.get(attribute) ?? [];
      groups.set(attribute, group);
      const bit = 1 << place;
      const isIn = test === 'in' || test === 'missing';
      const earlier = group.filter((one) => one.bit === bit && one.isIn).length;
      group.push({ bit, condition, isIn, earlier });
    }
  return groups;
}

const [STEPS_OF_CONDITION, STEPS_OF_VALUE] = [10, 6];

/** Returns the conditions of each named value. */
function conditionsByValue(conditions: readonly Placed[]): Map<string, Placed[]> {
  const byValue = new Map<string, Placed[]>();
  for (const one of conditions)
    for (const value of valuesOf(one.condition)) {
      const known = byValue.get(value);
      if (known === undefined) byValue.set(value, [one]);
      else known.push(one);
    }
  return byValue;
}

/** Adds the conditions of a host's domains: a host is a subdomain of these. */
function withDomains(host: string, byValue: ReadonlyMap<string, Placed[]>, budget: StepBudget): Set<Placed> {
  const found = new Set(byValue.get(host));
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    budget.spend(1 + Math.ceil(host.length / CHARACTERS_OF_STEP));
    for (const one of byValue.get(host.slice(dot + 1)) ?? []) found.add(one);
  }
  return found;
}

/** The number of a domain's characters that are read in a step. */
const CHARACTERS_OF_STEP = 50;

/** Returns the cells of an attribute: those of each named value, and that of all other values and of an unknown one. */
function cellsBy(conditions: readonly Placed[], isHost: boolean, all: number, budget: StepBudget): Cells {
  const byValue = conditionsByValue(conditions);
  /** The rules that need a first list, a second one, and so on. */
  const needing: number[] = [];
  for (const { bit, isIn, earlier } of conditions) if (isIn) needing[earlier] = (needing[earlier] ?? 0) | bit;
  const cells = new Set([all & ~(needing[0] ?? 0)]);
  for (const [value, own] of byValue) {
    const lists = isHost ? withDomains(value, byValue, budget) : own;
    const found = needing.map(() => 0);
    let cell = all;
    for (const { bit, isIn, earlier } of lists) {
      if (isIn) found[earlier] = (found[earlier] ?? 0) | bit;
      else cell &= ~bit;
    }
    for (const [index, rules] of needing.entries()) cell &= ~rules | (found[index] ?? 0);
    cells.add(cell);
  }
  return [...cells];
}

/** Returns the cells of each attribute that rules name, except the time. The language is one, since it is negotiated once. */
export function attributeCells(rules: readonly ParsedRule[], budget: StepBudget): Cells[] {
  const all = firstRules(rules.length);
  return [...groupByAttribute(rules, budget)].map(([attribute, conditions]) =>
    cellsBy(conditions, attribute === 'referrer', all, budget),
  );
}

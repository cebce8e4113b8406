import { attributeCells, type Cells, firstRules } from './cells.ts';
import type { ParsedRule } from './parsed.ts';
import { findSame } from './same-conditions.ts';
import { OutOfSteps, StepBudget } from './steps.ts';
import { type Period, timeCells } from './timeline.ts';

/** Faults of a rule that its conditions and those of earlier rules show. */
export const ruleFaults = {
  UNREACHABLE: 'Earlier rules lead all visitors that the rule matches.',
  NEVER: 'The conditions of the rule exclude each other, or lie in the past.',
  DUPLICATE: 'The rule has the same conditions as an earlier one.',
} as const;

/** A fault of a rule. Rules are named by their ids. */
export interface RuleFault {
  readonly rule: number;
  readonly kind: keyof typeof ruleFaults;
  /** The first earlier rule with the same conditions, or that alone matches all these visitors; absent if several do so together. */
  readonly by?: number;
}

/** Steps that an analysis may take. They take less than 5 ms, also if the tables of its time zones are to be made. */
export const MAX_STEPS = 40_000;

/** Years in which it is looked for visitors of a rule. */
const YEARS = 2;

function nextYears(now: number): Period {
  const until = new Date(now);
  until.setUTCFullYear(until.getUTCFullYear() + YEARS);
  return { from: now, until: until.getTime() };
}

/** Returns the rules that begin after a time. Conditions that this version does not know begin never. */
function beginAfter(rules: readonly ParsedRule[], time: number): number {
  let bits = 0;
  for (const [place, { when }] of rules.entries()) {
    const periods = when.filter((condition) => condition.kind === 'time');
    const from = Math.max(...periods.map((period) => period.from));
    const until = Math.min(...periods.map((period) => period.until));
    if (from === Infinity || (from >= time && from < until)) bits |= 1 << place;
  }
  return bits;
}

const has = (rules: number, place: number): boolean => (rules & (1 << place)) !== 0;
const firstOf = (rules: number): number => 31 - Math.clz32(rules & -rules);

/** Returns the earlier rules that match all visitors of the rule at a place; null if it has none. */
function findCovering(attributes: readonly Cells[], place: number, earlier: number): number | null {
  let covering = earlier;
  for (const cells of attributes) {
    const own = cells.filter((cell) => has(cell, place));
    if (own.length === 0) return null;
    for (const cell of own) covering &= cell;
  }
  return covering;
}

/** Leaves out sets that have another one as a part. */
function smallest(sets: Iterable<number>, budget: StepBudget): number[] {
  const kept: number[] = [];
  for (const one of [...new Set(sets)].sort((a, b) => a - b)) {
    budget.spend(1 + kept.length);
    // A part of a set is a smaller number.
    if (kept.every((other) => (other & ~one) !== 0)) kept.push(one);
  }
  return kept;
}

/**
 * True if each visitor of the rule at a place meets an earlier rule. It chooses a cell for one attribute after another, and
 * keeps the earlier rules that match so far.
 */
function isCovered(attributes: readonly Cells[], place: number, budget: StepBudget): boolean {
  const earlier = firstRules(place);
  const choices = attributes.map((cells) => {
    budget.spend(cells.length);
    return smallest(
      cells.filter((cell) => has(cell, place)).map((cell) => cell & earlier),
      budget,
    );
  });
  let matching = [earlier];
  for (const cells of choices.sort((one, other) => one.length - other.length)) {
    budget.spend(matching.length * cells.length);
    matching = smallest(
      matching.flatMap((rules) => cells.map((cell) => rules & cell)),
      budget,
    );
    if (matching[0] === 0) return false;
  }
  return true;
}

/**
 * Finds rules that never lead a visitor in the next two years, in their order. Attributes of visitors count as independent of
 * each other. A rule has one fault: NEVER, else DUPLICATE, else UNREACHABLE. What it finds is certain; it says nothing
 * of what takes more steps than it may, nor of rules that begin later.
 * @param now milliseconds since 1970
 */
export function analyseRules(rules: readonly ParsedRule[], now: number, steps = MAX_STEPS): RuleFault[] {
  const budget = new StepBudget(steps);
  const faults = new Map<number, RuleFault>();
  try {
    addFaults(rules, nextYears(now), budget, faults);
  } catch (error) {
    if (!(error instanceof OutOfSteps)) throw error;
  }
  return rules.flatMap((_rule, place) => faults.get(place) ?? []);
}

function addFaults(
  rules: readonly ParsedRule[],
  period: Period,
  budget: StepBudget,
  faults: Map<number, RuleFault>,
): void {
  const same = findSame(rules, budget);
  const attributes = [...attributeCells(rules, budget), timeCells(rules, period, budget)];
  budget.spend(rules.length * attributes.reduce((sum, { length }) => sum + length, 0));
  const later = beginAfter(rules, period.until);
  const open: number[] = [];
  for (const [place, { id: rule }] of rules.entries()) {
    if (has(later, place)) continue;
    const covering = findCovering(attributes, place, firstRules(place));
    const original = rules[same[place] ?? -1];
    const by = covering ? rules[firstOf(covering)] : undefined;
    if (covering === null) faults.set(place, { rule, kind: 'NEVER' });
    else if (original) faults.set(place, { rule, kind: 'DUPLICATE', by: original.id });
    else if (by) faults.set(place, { rule, kind: 'UNREACHABLE', by: by.id });
    else open.push(place);
  }
  for (const place of open)
    if (isCovered(attributes, place, budget))
      faults.set(place, { rule: rules[place]?.id ?? 0, kind: 'UNREACHABLE' });
}

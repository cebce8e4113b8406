import type { Cells } from './cells.ts';
import type { HoursCondition, ParsedRule, TimeCondition } from './parsed.ts';
import { OutOfSteps, type StepBudget } from './steps.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const WEEK = 7 * DAY;
/** 1970 began on a Thursday. */
const SINCE_MONDAY = 3 * DAY;

/** A period in milliseconds since 1970: `from <= t < until`. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

/** A condition of the rule at a place. */
interface Placed<Condition> {
  readonly place: number;
  readonly condition: Condition;
}

/** A time from which on a rule misses one condition more (1) or less (-1). */
interface Turn {
  readonly at: number;
  readonly place: number;
  readonly change: 1 | -1;
}

const inOrder = (one: Turn, other: Turn): number => one.at - other.at;

/** The number of conditions that each rule misses, and the rules that miss none. */
class Misses {
  readonly counts: number[];
  met = 0;

  constructor(counts: readonly number[]) {
    this.counts = [...counts];
    for (const [place, count] of counts.entries()) if (count === 0) this.met |= 1 << place;
  }

  apply({ place, change }: Turn): void {
    const count = (this.counts[place] ?? 0) + change;
    this.counts[place] = count;
    if (count === 0) this.met |= 1 << place;
    else this.met &= ~(1 << place);
  }
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

/** The hours of all rules in a week in UTC while no clock changes. Its times are since Monday. */
class Week {
  readonly turns: readonly Turn[];
  /** The number of hours that each rule misses when the week begins, before any turn. */
  readonly misses: readonly number[];

  constructor(rules: number, hours: readonly Placed<HoursCondition>[], now: number) {
    const turns: Turn[] = [];
    const misses = new Array<number>(rules).fill(0);
    for (const { place, condition } of hours) {
      const { days, from, to, zone } = condition;
      const length = (to > from ? to - from : to - from + 1_440) * MINUTE;
      let missed = 1;
      for (let day = 0; day < 7; day++) {
        if ((days & (1 << day)) === 0) continue;
        const start = modulo(day * DAY + from * MINUTE - zone.offsetAt(now), WEEK);
        if (start + length >= WEEK) missed--;
        turns.push({ at: start, place, change: -1 }, { at: (start + length) % WEEK, place, change: 1 });
      }
      misses[place] = (misses[place] ?? 0) + missed;
    }
    this.turns = turns.sort(inOrder);
    this.misses = misses;
  }

  /** Adds the cells of a period in which each rule misses so many other conditions, and no clock changes. */
  addCells({ from, until }: Period, others: readonly number[], cells: Set<number>): void {
    const misses = new Misses(this.misses.map((count, place) => count + (others[place] ?? 0)));
    const start = modulo(from + SINCE_MONDAY, WEEK);
    const { turns } = this;
    let passed = 0;
    for (; passed < turns.length; passed++) {
      const turn = turns[passed];
      if (turn === undefined || turn.at > start) break;
      misses.apply(turn);
    }
    cells.add(misses.met);
    const end = start + Math.min(until - from, WEEK);
    for (let next = 0; next < turns.length; next++) {
      const isNextWeek = passed + next >= turns.length;
      const turn = turns[isNextWeek ? passed + next - turns.length : passed + next];
      if (turn === undefined || turn.at + (isNextWeek ? WEEK : 0) >= end) return;
      misses.apply(turn);
      const following = turns[(passed + next + 1) % turns.length];
      if (following?.at !== turn.at) cells.add(misses.met);
    }
  }
}

/** The conditions of rules about the time. */
function placeConditions(rules: readonly ParsedRule[]) {
  const times: Placed<TimeCondition>[] = [];
  const hours: Placed<HoursCondition>[] = [];
  for (const [place, { when }] of rules.entries())
    for (const condition of when) {
      if (condition.kind === 'time') times.push({ place, condition });
      if (condition.kind === 'hours') hours.push({ place, condition });
    }
  return { times, hours };
}

/** Returns a period in parts in which no time condition of rules begins or ends, and the rules' misses of those in each part. */
function* splitPeriod(rules: number, times: readonly Placed<TimeCondition>[], { from, until }: Period) {
  const counts = new Array<number>(rules).fill(0);
  for (const { place } of times) counts[place] = (counts[place] ?? 0) + 1;
  const misses = new Misses(counts);
  const turns = times.flatMap(({ place, condition }): Turn[] =>
    condition.from < condition.until
      ? [
          { at: Math.max(from, condition.from), place, change: -1 },
          { at: Math.max(from, condition.until), place, change: 1 },
        ]
      : [],
  );
  let begin = from;
  for (const turn of turns.sort(inOrder)) {
    const end = Math.min(turn.at, until);
    if (end > begin) yield { from: begin, until: end, misses: misses.counts };
    begin = end;
    misses.apply(turn);
  }
  if (until > begin) yield { from: begin, until, misses: misses.counts };
}

/** Returns the times in a period at which the clock of a zone changes, with its start and its end. */
function listChanges(hours: readonly Placed<HoursCondition>[], { from, until }: Period): number[] {
  const zones = new Set(hours.map(({ condition }) => condition.zone));
  const changes = [...zones].flatMap((zone) => zone.changesIn(from + 1, until));
  return [...new Set([from, ...changes, until])].sort((one, other) => one - other);
}

/**
 * Returns the cells of a period: at each time of it, the rules whose conditions on the time and its hours are met.
 * @throws OutOfSteps
 */
export function timeCells(rules: readonly ParsedRule[], period: Period, budget: StepBudget): Cells {
  const { times, hours } = placeConditions(rules);
  const zones = new Set(hours.map(({ condition }) => condition.zone)).size;
  if (zones > MAX_ZONES) throw new OutOfSteps(`hours are in ${zones} time zones`);
  budget.spend(STEPS_OF_ZONE * zones);
  const cells = new Set<number>();
  const changes = listChanges(hours, period);
  for (const [index, from] of changes.slice(0, -1).entries()) {
    budget.spend(STEPS_OF_HOURS * hours.length + STEPS_OF_TIME * times.length);
    const week = new Week(rules.length, hours, from);
    for (const part of splitPeriod(rules.length, times, { from, until: changes[index + 1] ?? from })) {
      budget.spend(STEPS_OF_PART + Math.ceil(week.turns.length / TURNS_OF_STEP));
      week.addCells(part, part.misses, cells);
    }
  }
  return [...cells];
}

const [STEPS_OF_ZONE, STEPS_OF_HOURS, STEPS_OF_TIME, STEPS_OF_PART] = [2_000, 50, 5, 20];
/** The maximum number of time zones: the first look at two years of one makes three tables, with 120 looks at its clock. */
const MAX_ZONES = 10;
/** Turns that are applied in a step. */
const TURNS_OF_STEP = 4;

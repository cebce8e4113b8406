import type { Condition, Facts, HoursCondition, ListKind, ParsedRule } from './parsed.ts';

const [MINUTE, DAY_MINUTES] = [60_000, 1_440];

/** True if the clock of the zone is within the hours. */
function isWithin({ days, from, to, zone }: HoursCondition, at: number): boolean {
  const minutes = Math.floor((at + zone.offsetAt(at)) / MINUTE);
  const day = Math.floor(minutes / DAY_MINUTES);
  const minute = minutes - day * DAY_MINUTES;
  // The first day of 1970 was a Thursday.
  const weekday = (((day + 3) % 7) + 7) % 7;
  const starts = (one: number): boolean => (days & (1 << one)) !== 0;
  if (to > from) return minute >= from && minute < to && starts(weekday);
  return (minute >= from && starts(weekday)) || (minute < to && starts((weekday + 6) % 7));
}

/** True if the sets share a value. It looks up those of the smaller one. */
function meet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  for (const value of few) if (many.has(value)) return true;
  return false;
}

/** True if a property of the visitor is in the list; a host also if one of its domains is. */
function isListed(kind: ListKind, values: ReadonlySet<string>, facts: Facts): boolean {
  if (kind === 'referrer') return facts.referrers !== null && meet(values, facts.referrers);
  const value = facts[kind];
  return value !== null && values.has(value);
}

/** True if a visit meets the condition. */
export function meets(condition: Condition, facts: Facts): boolean {
  if (condition.kind === 'time') return facts.at >= condition.from && facts.at < condition.until;
  if (condition.kind === 'hours') return isWithin(condition, facts.at);
  const { test, values } = condition;
  if (condition.kind === 'query') {
    const value = facts.query(condition.name);
    if (test === 'exists' || test === 'missing') return (value !== undefined) === (test === 'exists');
    return (value !== undefined && values.has(value)) === (test === 'in');
  }
  return isListed(condition.kind, values, facts) === (test === 'in');
}

/** The first condition that a visit does not meet; undefined if the rule matches. */
export function firstUnmet({ when }: Pick<ParsedRule, 'when'>, facts: Facts): Condition | undefined {
  return when.find((condition) => !meets(condition, facts));
}

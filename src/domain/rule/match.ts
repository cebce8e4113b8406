import type { Condition, Facts, HoursCondition, ParsedRule } from './parsed.ts';

const [MINUTE, DAY_MINUTES] = [60_000, 1_440];

/** True if the host is in the list, or is a subdomain of one that is. */
function hasHost(hosts: ReadonlySet<string>, host: string): boolean {
  for (let rest = host; ; ) {
    if (hosts.has(rest)) return true;
    const dot = rest.indexOf('.');
    if (dot === -1) return false;
    rest = rest.slice(dot + 1);
  }
}

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
  const value = facts[condition.kind];
  const isListed =
    value !== null && (condition.kind === 'referrer' ? hasHost(values, value) : values.has(value));
  return isListed === (test === 'in');
}

/** The first condition that a visit does not meet; undefined if the rule matches. */
export function firstUnmet({ when }: Pick<ParsedRule, 'when'>, facts: Facts): Condition | undefined {
  return when.find((condition) => !meets(condition, facts));
}

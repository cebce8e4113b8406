import { type Day, dayOfHour } from '../db/statistics/calendar.ts';
import { type DayOfLink, emptyDay, type LinkVisits, type Visits } from './visit-counts.ts';

function halve<Item>(items: Iterable<Item>): [Item[], Item[]] {
  const all = [...items];
  const middle = Math.ceil(all.length / 2);
  return [all.slice(0, middle), all.slice(middle)];
}

/** A day's counts of some of its hours; `described` is known for the whole day only. */
function sumHours(day: DayOfLink, hours: LinkVisits['hours'], isFirst: boolean): DayOfLink {
  const part = { ...emptyDay(), resets: day.resets };
  for (const { clicks, alreadyCounted, bots } of hours.values()) {
    part.clicks += clicks;
    part.alreadyCounted += alreadyCounted;
    part.bots += bots;
  }
  const others = day.clicks - part.clicks;
  part.described = isFirst ? Math.min(day.described, part.clicks) : Math.max(0, day.described - others);
  return part;
}

function divideDay(link: LinkVisits, day: Day, whole: DayOfLink): LinkVisits[] {
  const { values, visitors, resets } = whole;
  const part = (one: DayOfLink, hours: LinkVisits['hours'] = new Map()): LinkVisits => ({
    last: link.last,
    hours,
    days: new Map([[day, one]]),
  });
  /** The values and visitors without the counts. */
  const details = (some: Partial<DayOfLink>) => part({ ...emptyDay(), resets, ...some });
  if (link.hours.size > 0 && values.size + visitors.size > 0)
    return [part(sumHours(whole, link.hours, true), link.hours), details({ values, visitors })];
  if (link.hours.size > 1)
    return halve(link.hours)
      .map((half) => new Map(half))
      .map((hours, index) => part(sumHours(whole, hours, index === 0), hours));
  if (values.size > 0 && visitors.size > 0) return [details({ values }), details({ visitors })];
  if (values.size > 1) return halve(values).map((half) => details({ values: new Map(half) }));
  if (visitors.size > 1) return halve(visitors).map((half) => details({ visitors: new Set(half) }));
  return [];
}

/**
 * The parts of visits that cannot be written together, in the order in which they must be written: first by link, then by day,
 * then counts before values and visitors. None if they cannot be divided.
 */
export function divide(visits: Visits): Visits[] {
  if (visits.size > 1) return halve(visits).map((half) => new Map(half));
  return [...visits].flatMap(([id, link]) => {
    const [first, second] = halve(link.days);
    const parts =
      second.length === 0
        ? first.flatMap(([day, whole]) => divideDay(link, day, whole))
        : [first, second].map((half) => {
            const days = new Map(half);
            const hours = new Map([...link.hours].filter(([hour]) => days.has(dayOfHour(hour))));
            return { last: link.last, hours, days };
          });
    return parts.map((part): Visits => new Map([[id, part]]));
  });
}

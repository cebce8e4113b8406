import { emptyDay, emptyHour, type Visits } from '../../db/statistics/batch.ts';
import { dayOf, hourOf } from '../../db/statistics/calendar.ts';
import { destinationOf, factsOf } from '../../domain/visit/facts.ts';
import type { DemoVisit } from './visitors.ts';

/** Adds a visit of a link to the visits to write. */
export function addVisit(
  visits: Visits,
  linkId: number,
  at: Date,
  { visitor, address, referrer }: DemoVisit,
  destination: string,
): void {
  const link = visits.get(linkId) ?? { last: null, hours: new Map(), days: new Map() };
  visits.set(linkId, link);
  const hour = link.hours.get(hourOf(at)) ?? emptyHour();
  link.hours.set(hourOf(at), hour);
  const day = link.days.get(dayOf(at)) ?? emptyDay();
  link.days.set(dayOf(at), day);
  for (const counts of [hour, day]) {
    if (visitor.counts) counts.clicks++;
    else counts.bots++;
  }
  if (!visitor.counts) return;
  if (link.last === null || at > link.last) link.last = at;
  for (const value of [destinationOf(destination), ...factsOf(visitor, referrer)]) {
    day.values.set(value, (day.values.get(value) ?? 0) + 1);
  }
  if (visitor.optedOut) return;
  day.described++;
  day.visitors.add(`${address}\n${visitor.userAgent}`);
}

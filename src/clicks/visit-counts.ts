import type { Day, Hour } from '../db/statistics/calendar.ts';
import type { Value } from '../db/statistics/value.ts';

export interface HourOfLink {
  clicks: number;
  /** The clicks among them that are already in the database. */
  alreadyCounted: number;
  bots: number;
}

export interface DayOfLink extends HourOfLink {
  /**
   * Number of resets of the statistics before the clicks of `alreadyCounted`; null without such clicks. A later reset
   * has deleted these clicks.
   */
  resets: number | null;
  /** The clicks that may have values: not those of visitors who declined it. */
  described: number;
  /** Digests of visitors, which are hashed with the salt of the day before they are stored. */
  readonly visitors: Set<string>;
  readonly values: Map<Value, number>;
}

export function emptyHour(): HourOfLink {
  return { clicks: 0, alreadyCounted: 0, bots: 0 };
}

export function emptyDay(): DayOfLink {
  return { ...emptyHour(), resets: null, described: 0, visitors: new Set(), values: new Map() };
}

/** The counts of one link that are not written yet. */
export interface LinkVisits {
  last: Date | null;
  readonly hours: Map<Hour, HourOfLink>;
  readonly days: Map<Day, DayOfLink>;
}

export type Visits = Map<number, LinkVisits>;

/** The number of hours, values and visitors. */
export function countParts(visits: Visits): number {
  let sum = 0;
  for (const { hours } of visits.values()) sum += hours.size;
  for (const [, , { values, visitors }] of listDays(visits)) sum += values.size + visitors.size;
  return sum;
}

/** The number of clicks that are not in the database yet. */
export function countUnwritten({ hours }: LinkVisits): number {
  let sum = 0;
  for (const { clicks, alreadyCounted } of hours.values()) sum += clicks - alreadyCounted;
  return sum;
}

export function* listDays(visits: Visits): Generator<[linkId: number, day: Day, counted: DayOfLink]> {
  for (const [id, link] of visits) for (const [day, counted] of link.days) yield [id, day, counted];
}

import type { Value } from './value.ts';

export interface DayOfLink {
  clicks: number;
  /** The clicks that are already in the database. */
  claimed: number;
  /** How often the statistics had been reset when those of them that have values were counted; null if none is claimed. */
  resets: number | null;
  /** The clicks that may have values: not those of visitors who declined it. */
  described: number;
  bots: number;
  /** Digests of visitors, which are hashed with the salt of the day before they are stored. */
  readonly visitors: Set<string>;
  readonly values: Map<Value, number>;
}

export interface HourOfLink {
  clicks: number;
  claimed: number;
  bots: number;
}

export function emptyDay(): DayOfLink {
  const numbers = { clicks: 0, claimed: 0, resets: null, described: 0, bots: 0 };
  return { ...numbers, visitors: new Set(), values: new Map() };
}

export function emptyHour(): HourOfLink {
  return { clicks: 0, claimed: 0, bots: 0 };
}

/** The counts of one link that are not written yet. */
export interface LinkVisits {
  last: Date | null;
  readonly hours: Map<number, HourOfLink>;
  readonly days: Map<number, DayOfLink>;
}

export type Visits = Map<number, LinkVisits>;

/** The number of clicks that are not in the database yet. */
export function unwrittenOf({ hours }: LinkVisits): number {
  let sum = 0;
  for (const { clicks, claimed } of hours.values()) sum += clicks - claimed;
  return sum;
}

export function* daysOf(visits: Visits): Generator<[linkId: number, day: number, counted: DayOfLink]> {
  for (const [id, link] of visits) for (const [day, counted] of link.days) yield [id, day, counted];
}

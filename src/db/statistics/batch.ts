import type { Value } from './value.ts';

/** What was counted of one link on one day. */
export interface DayOfLink {
  clicks: number;
  /** Those of the clicks that are in the database already. */
  claimed: number;
  /** Those of the clicks that may have values. */
  described: number;
  bots: number;
  /** Digests of who came, which the salt of the day makes unreadable before they are stored. */
  readonly visitors: Set<string>;
  readonly values: Map<Value, number>;
  /** How many of the values are referrers. */
  referrers: number;
}

export interface HourOfLink {
  clicks: number;
  claimed: number;
  bots: number;
}

/** What was counted of one link and is to be written. */
export interface LinkVisits {
  last: Date | null;
  readonly hours: Map<number, HourOfLink>;
  readonly days: Map<number, DayOfLink>;
}

/** Visits of links, by their ids. */
export type Visits = Map<number, LinkVisits>;

/** How many of the clicks are not in the database yet. */
export function unwrittenOf({ hours }: LinkVisits): number {
  let sum = 0;
  for (const { clicks, claimed } of hours.values()) sum += clicks - claimed;
  return sum;
}

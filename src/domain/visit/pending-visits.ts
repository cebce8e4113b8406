import { hash } from 'node:crypto';
import {
  type DayOfLink,
  emptyDay,
  emptyHour,
  type HourOfLink,
  type LinkVisits,
  unwrittenOf,
  type Visits,
} from '../../db/statistics/batch.ts';
import { enclosingPeriod, hourOf } from '../../db/statistics/calendar.ts';
import type { Value } from '../../db/statistics/value.ts';
import { networkOf } from './ip-network.ts';
import type { Visit } from './visit.ts';
import { destinationOf, factsOf } from './visitor-attributes.ts';

/** The maximum number of waiting values and visitors; beyond it, visits are counted without them. */
const MAX_DETAILS = 200_000;
/** The maximum number of hours of links; beyond it, visits count for an earlier hour that has an entry. */
const MAX_HOURS = 100_000;

const IPV4 = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/** A digest that is equal for visits of the same visitor. */
function digestOf(address: string, userAgent: string): string {
  const network = IPV4.test(address) ? address : networkOf(address);
  return hash('sha256', `${network}\n${userAgent}`, 'base64');
}

/** The counts of a link, with references to those of the hour and the day of its last visit. */
interface Entry extends LinkVisits {
  readonly number: number;
  readonly hour: HourOfLink;
  readonly day: DayOfLink;
}

export interface Bounds {
  readonly details: number;
  readonly hours: number;
}

/** Counts of visits that wait to be written. Their memory is bounded; clicks are never dropped. */
export class PendingVisits {
  readonly #bounds: Bounds;
  readonly #described: boolean;
  #links = new Map<number, Entry>();
  #details = 0;
  #hours = 0;
  /** The hour of the last visit, with its beginning and end. */
  #hour = { number: 0, from: 0, to: 0 };

  /** @param described whether statistics are counted, too */
  constructor(described = true, bounds: Bounds = { details: MAX_DETAILS, hours: MAX_HOURS }) {
    this.#described = described;
    this.#bounds = bounds;
  }

  /** How many links have waiting visits. */
  get links(): number {
    return this.#links.size;
  }

  /** The number of clicks that are not in the database. */
  get unwritten(): number {
    let sum = 0;
    for (const link of this.#links.values()) sum += unwrittenOf(link);
    return sum;
  }

  /** The number of a link's clicks that are not in the database. */
  unwrittenOf(linkId: number): number {
    const link = this.#links.get(linkId);
    return link === undefined ? 0 : unwrittenOf(link);
  }

  /** Counts a click without statistics. */
  count(linkId: number, at: Date): void {
    this.#addTo(linkId, at, { clicks: 1 }).described++;
  }

  add(visit: Visit): void {
    const { link, at, visitor, address, referrer, destination, claimed } = visit;
    if (!visitor.counts) {
      if (this.#described) this.#addTo(link.id, at, { bots: 1 });
      return;
    }
    const day = this.#addTo(link.id, at, { clicks: 1, claimed: claimed === null ? 0 : 1 });
    if (claimed !== null && !this.#startAfterReset(day, claimed)) return;
    if (!visitor.optedOut) day.described++;
    if (!this.#described || this.#details >= this.#bounds.details) return;
    if (destination !== null) this.#addValue(day, destinationOf(destination));
    for (const value of factsOf(visitor, referrer)) this.#addValue(day, value);
    if (visitor.optedOut || address === '') return;
    const before = day.visitors.size;
    day.visitors.add(digestOf(address, visitor.userAgent));
    this.#details += day.visitors.size - before;
  }

  /** Removes and returns the counts of at most `links` links. */
  take(links: number): Visits {
    if (this.#links.size <= links) {
      const all = this.#links;
      this.#links = new Map();
      this.#details = 0;
      this.#hours = 0;
      return all;
    }
    const taken: Visits = new Map();
    for (const [id, link] of this.#links) {
      if (taken.size === links) break;
      taken.set(id, link);
      this.#links.delete(id);
      this.#hours -= link.hours.size;
      for (const { values, visitors } of link.days.values()) this.#details -= values.size + visitors.size;
    }
    return taken;
  }

  /** Drops what was counted before the last reset of the statistics. Returns false if the click is from before that reset. */
  #startAfterReset(day: DayOfLink, resets: number): boolean {
    const { visitors, values, resets: before } = day;
    if (before !== null && before < resets) {
      this.#details -= visitors.size + values.size;
      visitors.clear();
      values.clear();
      day.described = 0;
    }
    day.resets = Math.max(resets, before ?? resets);
    return day.resets === resets;
  }

  #addValue({ values }: DayOfLink, value: Value): void {
    const before = values.get(value);
    if (before === undefined) this.#details++;
    values.set(value, (before ?? 0) + 1);
  }

  /** Adds to the visit's hour and day, and returns the day. */
  #addTo(linkId: number, at: Date, { clicks = 0, claimed = 0, bots = 0 }: Partial<HourOfLink>): DayOfLink {
    const number = this.#hourOf(at);
    const known = this.#links.get(linkId);
    const link = known?.number === number ? known : this.#enter(linkId, number, claimed > 0);
    const { hour, day } = link;
    if (clicks > 0 && (link.last === null || at > link.last)) link.last = at;
    for (const counts of [hour, day]) {
      counts.clicks += clicks;
      counts.claimed += claimed;
      counts.bots += bots;
    }
    return day;
  }

  /** Refers the link's entry to another hour and its day. */
  #enter(linkId: number, asked: number, claimed: boolean): Entry {
    const known = this.#links.get(linkId);
    const hours = known?.hours ?? new Map<number, HourOfLink>();
    const days = known?.days ?? new Map<number, DayOfLink>();
    let number = asked;
    // A claimed visit is already counted in its own hour, and must stay there.
    if (!hours.has(number) && !claimed && hours.size > 0 && this.#hours >= this.#bounds.hours)
      number = [...hours.keys()].at(-1) ?? number;
    if (!hours.has(number)) this.#hours++;
    const hour = hours.get(number) ?? emptyHour();
    hours.set(number, hour);
    const day = days.get(enclosingPeriod(number)) ?? emptyDay();
    days.set(enclosingPeriod(number), day);
    const link = { last: known?.last ?? null, hours, days, number, hour, day };
    this.#links.set(linkId, link);
    return link;
  }

  #hourOf(at: Date): number {
    const time = at.getTime();
    const { from, to, number } = this.#hour;
    if (time >= from && time < to) return number;
    const start = time - (time % 3_600_000);
    this.#hour = { number: hourOf(at), from: start, to: start + 3_600_000 };
    return this.#hour.number;
  }
}

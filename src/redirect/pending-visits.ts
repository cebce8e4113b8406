import { hash } from 'node:crypto';
import { type DayOfLink, type HourOfLink, unwrittenOf, type Visits } from '../db/statistics/batch.ts';
import { above, hourOf } from '../db/statistics/calendar.ts';
import { kinds, type Value } from '../db/statistics/value.ts';
import { MAX_REFERRERS } from '../db/statistics/write.ts';
import { destinationOf, factsOf, OTHER_REFERRER } from '../domain/visit/facts.ts';
import { networkOf } from '../http/request/client.ts';
import type { Visit } from './visit.ts';

/** How many values and visitors wait to be written at most: beyond, visits are counted without them. */
const MAX_DETAILS = 200_000;
/** How many hours of links: beyond, visits count for the hour before that has an entry. */
const MAX_HOURS = 100_000;

const IPV4 = /^\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/;

/** Tells whether two visits are the same person's. */
function digestOf(address: string, userAgent: string): string {
  const network = IPV4.test(address) ? address : networkOf(address);
  return hash('sha256', `${network}\n${userAgent}`, 'base64');
}

export interface Bounds {
  readonly details: number;
  readonly hours: number;
}

/** What is counted of visits and not yet handed over to be written. It takes bounded memory; no visit's number is dropped. */
export class PendingVisits {
  readonly #bounds: Bounds;
  readonly #described: boolean;
  #links: Visits = new Map();
  #details = 0;
  #hours = 0;
  /** The hour of the last visit, and when it ends. */
  #hour = { number: 0, from: 0, to: 0 };

  /** @param described whether more than the clicks is counted */
  constructor(described = true, bounds: Bounds = { details: MAX_DETAILS, hours: MAX_HOURS }) {
    this.#described = described;
    this.#bounds = bounds;
  }

  get isEmpty(): boolean {
    return this.#links.size === 0;
  }

  /** How many clicks would be lost without a write. */
  get unwritten(): number {
    let sum = 0;
    for (const link of this.#links.values()) sum += unwrittenOf(link);
    return sum;
  }

  /** Counts a click of which no more is known. */
  count(linkId: number, at: Date): void {
    const { day } = this.#entriesOf(linkId, at, { clicks: 1 });
    day.described++;
  }

  add(visit: Visit): void {
    const { link, at, visitor, address, referrer, destination, claimed } = visit;
    if (!visitor.counts) {
      if (this.#described) this.#entriesOf(link.id, at, { bots: 1 });
      return;
    }
    const { day } = this.#entriesOf(link.id, at, { clicks: 1, claimed: claimed ? 1 : 0 });
    if (!visitor.optedOut) day.described++;
    if (!this.#described || this.#details >= this.#bounds.details) return;
    if (destination !== null) this.#addValue(day, destinationOf(destination));
    for (const value of factsOf(visitor, referrer)) this.#addValue(day, value);
    if (visitor.optedOut || address === '') return;
    const before = day.visitors.size;
    day.visitors.add(digestOf(address, visitor.userAgent));
    this.#details += day.visitors.size - before;
  }

  /** Hands over what there is of at most so many links. */
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

  #addValue(day: DayOfLink, value: Value): void {
    const { values } = day;
    let counted = value;
    let before = values.get(value);
    if (before === undefined) {
      if (value.kind === kinds.REFERRER && ++day.referrers > MAX_REFERRERS) {
        counted = OTHER_REFERRER;
        before = values.get(counted);
      }
      if (before === undefined) this.#details++;
    }
    values.set(counted, (before ?? 0) + 1);
  }

  /** The entries of the moment's hour and day, in which the numbers are counted. */
  #entriesOf(
    linkId: number,
    at: Date,
    { clicks = 0, claimed = 0, bots = 0 }: Partial<HourOfLink>,
  ): { day: DayOfLink } {
    let link = this.#links.get(linkId);
    if (link === undefined) {
      link = { last: null, hours: new Map(), days: new Map() };
      this.#links.set(linkId, link);
    }
    if (clicks > 0 && (link.last === null || at > link.last)) link.last = at;
    let number = this.#hourOf(at);
    let hour = link.hours.get(number);
    // One that is counted already in its own hour has to stay in that.
    if (hour === undefined && claimed === 0 && link.hours.size > 0 && this.#hours >= this.#bounds.hours) {
      [number = number] = [...link.hours.keys()].slice(-1);
      hour = link.hours.get(number);
    }
    if (hour === undefined) {
      hour = { clicks: 0, claimed: 0, bots: 0 };
      link.hours.set(number, hour);
      this.#hours++;
    }
    let day = link.days.get(above(number));
    if (day === undefined) {
      day = {
        ...{ clicks: 0, claimed: 0, described: 0, bots: 0, referrers: 0 },
        ...{ visitors: new Set(), values: new Map() },
      };
      link.days.set(above(number), day);
    }
    for (const entry of [hour, day]) {
      entry.clicks += clicks;
      entry.claimed += claimed;
      entry.bots += bots;
    }
    return { day };
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

import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { dayOfHour, hourOf } from '../db/statistics/calendar.ts';
import type { Value } from '../db/statistics/value.ts';
import type { Variant } from '../domain/rule/lead.ts';
import { networkOf } from '../domain/visit/ip-network.ts';
import type { Visitor } from '../domain/visit/visitor.ts';
import {
  countUnwritten,
  type DayOfLink,
  emptyDay,
  emptyHour,
  type HourOfLink,
  type LinkVisits,
  type Visits,
} from './visit-counts.ts';
import { describeDestination, describeVariant, describeVisitor } from './visit-facts.ts';

/** A visit that reached the destination, or that of a program that would have. */
export interface Visit {
  readonly link: { readonly id: number };
  readonly at: Date;
  readonly visitor: Visitor;
  /** The visitor's address; empty if unknown. */
  readonly address: string;
  /** The header Referer. */
  readonly referrer: string;
  /** The destination without the query of the visit; null if it was not revealed to a program. */
  readonly destination: string | null;
  /** The rule that led, and its target; null or absent if none did, or the target depends on a key of this process alone. */
  readonly variant?: Variant | null;
  /** For a click that is in the database already: how often the statistics had been reset before it. Else null. */
  readonly alreadyCounted: { readonly resets: number } | null;
}

/** The maximum number of waiting values and visitors; beyond it, visits are counted without them. */
const MAX_DETAILS = 200_000;
/** The maximum number of hours of links; beyond it, visits count for an earlier hour that has an entry. */
const MAX_HOURS = 100_000;
/** The maximum number of links with waiting visits, about a kilobyte each; beyond it, those of other links are dropped. */
const MAX_LINKS = 200_000;

/** Maximum number of digests that are remembered: some visitors open many links in a row. */
const MAX_DIGESTS = 2_000;

/** Digests, by address and user agent. */
const digests = new LRUCache<string, string, Pick<Visit, 'address' | 'visitor'>>({
  max: MAX_DIGESTS,
  memoMethod(_key, _stale, { context: { address, visitor } }) {
    return hash('sha256', `${networkOf(address)}\n${visitor.userAgent}`, 'base64');
  },
});

/** A digest that is equal for visits of the same visitor. */
function digestVisitor(visit: Visit): string {
  return digests.memo(`${visit.address}\n${visit.visitor.userAgent}`, { context: visit });
}

function emptyLink(): LinkVisits {
  return { last: null, hours: new Map(), days: new Map() };
}

function getOrAdd<Key, Entry>(map: Map<Key, Entry>, key: Key, empty: () => Entry): Entry {
  const known = map.get(key);
  if (known !== undefined) return known;
  const added = empty();
  map.set(key, added);
  return added;
}

function addCounts(counts: HourOfLink, { clicks, alreadyCounted, bots }: HourOfLink): void {
  counts.clicks += clicks;
  counts.alreadyCounted += alreadyCounted;
  counts.bots += bots;
}

export interface Bounds {
  readonly details: number;
  readonly hours: number;
  readonly links: number;
}

/** Counts of visits that wait to be written. Their memory is bounded. */
export class PendingVisits {
  readonly #bounds: Bounds;
  readonly #statistics: boolean;
  readonly #links: Visits = new Map();
  #details = 0;
  #hours = 0;

  /** @param statistics whether statistics are counted, too */
  constructor(statistics = true, bounds: Partial<Bounds> = {}) {
    this.#statistics = statistics;
    this.#bounds = { details: MAX_DETAILS, hours: MAX_HOURS, links: MAX_LINKS, ...bounds };
  }

  /** Number of links with waiting visits. */
  get links(): number {
    return this.#links.size;
  }

  /** The number of clicks that are not in the database. */
  get unwritten(): number {
    let sum = 0;
    for (const link of this.#links.values()) sum += countUnwritten(link);
    return sum;
  }

  /** The number of a link's clicks that are not in the database. */
  countUnwritten(linkId: number): number {
    const link = this.#links.get(linkId);
    return link === undefined ? 0 : countUnwritten(link);
  }

  /** True if there is room for visits of a link. */
  hasRoom(linkId: number): boolean {
    return this.#links.size < this.#bounds.links || this.#links.has(linkId);
  }

  add(visit: Visit): void {
    const { link, at, visitor, address, referrer, destination, variant, alreadyCounted } = visit;
    if (!visitor.counts) {
      if (this.#statistics) this.#addTo(link.id, at, { clicks: 0, alreadyCounted: 0, bots: 1 });
      return;
    }
    const inDatabase = alreadyCounted === null ? 0 : 1;
    const day = this.#addTo(link.id, at, { clicks: 1, alreadyCounted: inDatabase, bots: 0 });
    if (alreadyCounted !== null && !this.#startAfterReset(day, alreadyCounted.resets)) return;
    if (!visitor.optedOut) day.described++;
    if (!this.#statistics || this.#details >= this.#bounds.details) return;
    if (destination !== null) this.#addValue(day, describeDestination(destination));
    for (const value of describeVisitor(visitor, referrer)) this.#addValue(day, value);
    if (variant && !visitor.optedOut) this.#addValue(day, describeVariant(link.id, variant));
    if (visitor.optedOut || address === '') return;
    const before = day.visitors.size;
    day.visitors.add(digestVisitor(visit));
    this.#details += day.visitors.size - before;
  }

  /** Their ids in ascending order: what belongs to neighbours is on the same pages of a database, so they are written together. */
  get ids(): Float64Array {
    return Float64Array.from(this.#links.keys()).sort();
  }

  /** Removes and returns the counts of whole links, until they have so many hours, values and visitors, or no id is left. */
  take(links: number, ids = this.ids.values(), parts = Number.POSITIVE_INFINITY): Visits {
    const taken: Visits = new Map();
    for (let left = parts; left > 0 && taken.size < links; ) {
      const { value: id, done } = ids.next();
      if (done) break;
      const link = this.#links.get(id);
      if (link === undefined) continue;
      taken.set(id, link);
      this.#links.delete(id);
      this.#hours -= link.hours.size;
      left -= link.hours.size;
      for (const { values, visitors } of link.days.values()) {
        this.#details -= values.size + visitors.size;
        left -= values.size + visitors.size;
      }
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
  #addTo(linkId: number, at: Date, added: HourOfLink): DayOfLink {
    const link = getOrAdd(this.#links, linkId, emptyLink);
    if (added.clicks > 0 && (link.last === null || at > link.last)) link.last = at;
    const { hours, days } = link;
    let hour = hourOf(at);
    if (!hours.has(hour)) {
      // The database has a click that is counted already in this hour, so it must not move to another.
      if (added.alreadyCounted === 0 && this.#hours >= this.#bounds.hours)
        hour = [...hours.keys()].at(-1) ?? hour;
      if (!hours.has(hour)) this.#hours++;
    }
    const ofDay = getOrAdd(days, dayOfHour(hour), emptyDay);
    addCounts(getOrAdd(hours, hour, emptyHour), added);
    addCounts(ofDay, added);
    return ofDay;
  }
}

import { LRUCache } from 'lru-cache';

const MINUTE = 60_000;
const QUARTER = 15 * MINUTE;
const DAY = 86_400_000;
/** The distance of looks for a change of the clock; from 2022 on, two changes are further apart in each zone. */
const STEP = 28 * DAY;

/** The clock of a time zone over one UTC year: its first offset, and each change. */
interface Year {
  /** Milliseconds since 1970, ascending; the first is the start of the year. */
  readonly starts: readonly number[];
  /** Milliseconds that the clock is ahead of UTC from then on. */
  readonly offsets: readonly number[];
}

/** The clock of a time zone. It is slow to make and takes some 80 kB. */
function makeClock(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', { hour: 'numeric', timeZoneName: 'longOffset', timeZone });
}

/** Milliseconds that a clock is ahead of UTC at a time. It takes a microsecond. */
function readClock(clock: Intl.DateTimeFormat, at: number): number {
  // Such as 5 PM GMT+05:30, or 11 AM GMT.
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(clock.format(at)) ?? [];
  const ahead = Number(hours) * 60 * MINUTE + Number(minutes) * MINUTE + Number(seconds) * 1000;
  return sign === '-' ? -ahead : ahead;
}

/** The minute in which a clock gets an offset, after one time and until another one. */
function findChange(
  offsetAt: (at: number) => number,
  offset: number,
  { from, until }: { readonly from: number; readonly until: number },
): number {
  let [before, after] = [from, until];
  for (const grain of [QUARTER, MINUTE]) {
    while (after - before > grain) {
      const middle = before + Math.floor((after - before) / 2 / grain) * grain;
      if (offsetAt(middle) === offset) after = middle;
      else before = middle;
    }
    // Today's clocks change at a quarter of an hour.
    if (offsetAt(after - MINUTE) !== offset) break;
  }
  return after;
}

function makeYear(clock: Intl.DateTimeFormat, year: number): Year {
  const offsetAt = (at: number) => readClock(clock, at);
  const [start, end] = [Date.UTC(year), Date.UTC(year + 1)];
  let offset = offsetAt(start);
  const [starts, offsets] = [[start], [offset]];
  for (let from = start; from < end; from += STEP) {
    const until = Math.min(from + STEP, end - MINUTE);
    const next = offsetAt(until);
    if (next === offset) continue;
    starts.push(findChange(offsetAt, next, { from, until }));
    offsets.push(next);
    offset = next;
  }
  return { starts, offsets };
}

/** Looks at the clock in a year before its table is made, which takes about as many. */
export const LOOKS_BEFORE_TABLE = 40;

/**
 * A time zone by its name in the IANA's list. Where its clock is looked at often in a year, as for visits, it has a table
 * for that year, made once. Single times of many years, as those of tests, are looked up alone.
 */
export class Zone {
  readonly name: string;
  readonly #clock: Intl.DateTimeFormat;
  /** The year that was asked for last, and how often in a row. */
  #last:
    | { readonly from: number; readonly until: number; table: Year | undefined; looks: number }
    | undefined;

  constructor(name: string, clock: Intl.DateTimeFormat) {
    this.name = name;
    this.#clock = clock;
  }

  #keyOf(year: number): string {
    return `${year} ${this.name}`;
  }

  #tableFor(year: number): Year {
    return years.memo(this.#keyOf(year), { context: { clock: this.#clock, year } });
  }

  #lastAt(at: number) {
    if (this.#last !== undefined && at >= this.#last.from && at < this.#last.until) return this.#last;
    const year = new Date(at).getUTCFullYear();
    const table = years.get(this.#keyOf(year));
    this.#last = { from: Date.UTC(year), until: Date.UTC(year + 1), table, looks: 0 };
    return this.#last;
  }

  /** Milliseconds that the clock is ahead of UTC at a time in the years 1000 to 9999. */
  offsetAt(at: number): number {
    const last = this.#lastAt(at);
    if (last.table === undefined && ++last.looks <= LOOKS_BEFORE_TABLE) return readClock(this.#clock, at);
    last.table ??= this.#tableFor(new Date(at).getUTCFullYear());
    const { starts, offsets } = last.table;
    let index = starts.length - 1;
    while (index > 0 && at < (starts[index] ?? 0)) index--;
    return offsets[index] ?? 0;
  }

  /** The times from `from`, until `until`, at which the clock changes, ascending. */
  changesIn(from: number, until: number): number[] {
    const changes: number[] = [];
    const lastYear = new Date(until).getUTCFullYear();
    for (let year = new Date(from).getUTCFullYear(); year <= lastYear; year++) {
      const start = Date.UTC(year);
      const isChange = (at: number) => at > start || this.offsetAt(at) !== this.offsetAt(at - 1);
      changes.push(...this.#tableFor(year).starts.filter((at) => at >= from && at < until && isChange(at)));
    }
    return changes;
  }
}

/** The tables of a thousand zones and years take about a megabyte. */
const years = new LRUCache<string, Year, { readonly clock: Intl.DateTimeFormat; readonly year: number }>({
  max: 3_000,
  memoMethod: (_key, _stale, { context: { clock, year } }) => makeYear(clock, year),
});

/** The zones by their names in lower case: as many as there are. */
const zones = new Map<string, Zone>();

/** The time zone with this name, such as Europe/Berlin, whatever its case; null if there is none. */
export function zoneNamed(name: string): Zone | null {
  // Offsets such as +01:00 are no zones: they know no daylight saving.
  if (!/^[A-Za-z][A-Za-z\d_+/-]{0,63}$/.test(name)) return null;
  const key = name.toLowerCase();
  const known = zones.get(key);
  if (known !== undefined) return known;
  try {
    const clock = makeClock(name);
    const { timeZone } = clock.resolvedOptions();
    const zone = zones.get(timeZone.toLowerCase()) ?? new Zone(timeZone, clock);
    zones.set(key, zone).set(timeZone.toLowerCase(), zone);
    return zone;
  } catch {
    return null;
  }
}

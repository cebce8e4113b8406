import { LRUCache } from 'lru-cache';

const MINUTE = 60_000;
const DAY = 86_400_000;
/** The distance of looks for a change of the clock; two changes are further apart. */
const STEP = 14 * DAY;

/** The clock of a time zone over one UTC year: its first offset, and each change. */
interface Year {
  /** Milliseconds since 1970, ascending; the first is the start of the year. */
  readonly starts: readonly number[];
  /** Milliseconds that the clock is ahead of UTC from then on. */
  readonly offsets: readonly number[];
}

const parts = {
  ...({ year: 'numeric', month: 'numeric', day: 'numeric' } as const),
  ...({ hour: 'numeric', minute: 'numeric', second: 'numeric', hourCycle: 'h23' } as const),
};

/** The clock of a time zone. It is slow to make and takes some 80 kB. */
function makeClock(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', { ...parts, timeZone });
}

/** Milliseconds that a clock is ahead of UTC at a time. It takes some microseconds. */
function readClock(clock: Intl.DateTimeFormat, at: number): number {
  // Such as 11/30/2026, 05:40:33.
  const numbers = clock.format(at).match(/\d+/g)?.map(Number) ?? [];
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = numbers;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
}

function makeYear(clock: Intl.DateTimeFormat, year: number): Year {
  const offsetAt = (at: number) => readClock(clock, at);
  const [start, end] = [Date.UTC(year), Date.UTC(year + 1)];
  const [starts, offsets] = [[start], [offsetAt(start)]];
  let offset = offsetAt(start);
  for (let from = start; from < end; from += STEP) {
    let until = Math.min(from + STEP, end - MINUTE);
    const next = offsetAt(until);
    if (next === offset) continue;
    let before = from;
    while (until - before > MINUTE) {
      const middle = before + Math.floor((until - before) / 2 / MINUTE) * MINUTE;
      if (offsetAt(middle) === next) until = middle;
      else before = middle;
    }
    starts.push(until);
    offsets.push(next);
    offset = next;
  }
  return { starts, offsets };
}

/** Looks at the clock in a year before its table is made, which takes about as many. */
export const LOOKS_BEFORE_TABLE = 60;

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

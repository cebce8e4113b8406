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

/** A function that asks for the zone's offset at a time, in milliseconds. It is slow to make. */
function makeClock(timeZone: string): (at: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { ...parts, timeZone });
  return (at) => {
    // Such as 11/30/2026, 05:40:33.
    const numbers = format.format(at).match(/\d+/g)?.map(Number) ?? [];
    const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = numbers;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
  };
}

function makeYear(name: string, year: number): Year {
  const offsetAt = makeClock(name);
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

/** A time zone by its name in the IANA's list. Its clock is a table for each year, made once and shared. */
export class Zone {
  readonly name: string;
  /** The year that was asked for last. */
  #last: { readonly from: number; readonly until: number; readonly table: Year } | undefined;

  constructor(name: string) {
    this.name = name;
  }

  #yearAt(at: number): Year {
    if (this.#last !== undefined && at >= this.#last.from && at < this.#last.until) return this.#last.table;
    const year = new Date(at).getUTCFullYear();
    const table = years.memo(`${year} ${this.name}`, { context: { name: this.name, year } });
    this.#last = { from: Date.UTC(year), until: Date.UTC(year + 1), table };
    return table;
  }

  /** Milliseconds that the clock is ahead of UTC at a time in the years 1000 to 9999. */
  offsetAt(at: number): number {
    const { starts, offsets } = this.#yearAt(at);
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
      changes.push(...this.#yearAt(start).starts.filter((at) => at >= from && at < until && isChange(at)));
    }
    return changes;
  }
}

/** The tables of a thousand zones and years take about a megabyte. */
const years = new LRUCache<string, Year, { readonly name: string; readonly year: number }>({
  max: 3_000,
  memoMethod: (_key, _stale, { context: { name, year } }) => makeYear(name, year),
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
    const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions();
    const zone = zones.get(timeZone.toLowerCase()) ?? new Zone(timeZone);
    zones.set(key, zone);
    return zone;
  } catch {
    return null;
  }
}

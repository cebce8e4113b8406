import { z } from 'zod';
import {
  countDays,
  type Day,
  type Days,
  dayOf,
  daysAfter,
  firstDayOf,
  hourIn,
  type Month,
  monthOf,
  monthsAfter,
  startOf,
} from '../../db/statistics/calendar.ts';
import type { Counts, Point } from '../../db/statistics/read-counts.ts';
import type { ValueQuery, ValueRow } from '../../db/statistics/read-values.ts';
import { NOTHING, type StatisticsReader } from '../../db/statistics/reader.ts';
import type { Scope } from '../../db/statistics/scope.ts';
import { invalidField } from '../../engine/rules/errors.ts';
import { choiceSchema, integerSchema, parseInput } from '../../engine/rules/input.ts';
import { pauseIfBlocked } from '../../engine/tools/time-slices.ts';
import { refusal } from '../rules.ts';
import {
  dimensionValues,
  type StatisticsDimension,
  type StatisticsInterval,
  statisticsDimensions,
  statisticsIntervals,
  valueInput,
} from './dimension.ts';
import { type PeriodInput, parsePeriod } from './period.ts';
import { type StatisticsVariant, variantIn, variantNames } from './variants.ts';

/** The maximum number of days for hours, and of values. */
export const MAX_DAYS_OF_HOURS = 31;
export const MAX_TOP = 100;

/** The counts of an hour, a day or a month. */
export interface StatisticsPoint {
  readonly start: Date;
  readonly time: number;
  readonly clicks: number;
  /** Null for an hour. For several days, the sum of the days. */
  readonly visitors: number | null;
  readonly bots: number;
}

export interface StatisticsRow {
  readonly value: string | null;
  readonly clicks: number;
  /** For a value of VARIANT, its ids. */
  readonly variant?: StatisticsVariant | null;
}

export interface StatisticsTop {
  readonly rows: readonly StatisticsRow[];
  /** The clicks of all other values. */
  readonly others: number;
}

/** The clicks with one value, of a day or a month. */
export type ValueSeriesPoint = Pick<StatisticsPoint, 'start' | 'clicks'>;

const valueIntervals = { DAY: statisticsIntervals.DAY, MONTH: statisticsIntervals.MONTH };

const valueSeriesInput = z.object({
  by: choiceSchema(statisticsDimensions),
  value: valueInput,
  interval: choiceSchema(valueIntervals),
});

interface ValueSeriesInput {
  readonly by: StatisticsDimension;
  readonly value?: string | null | undefined;
  readonly interval: StatisticsInterval;
}

/** The maximum number of days of a sparkline, and its default. */
export const SPARKLINE_DAYS = { max: 90, default: 30 };
const sparklineInput = z.object({ days: integerSchema(1, SPARKLINE_DAYS.max).nullish() });

/**
 * The clicks of a link on each of the last days, the present one last.
 * @throws DomainError VALIDATION
 */
export async function sparkline(
  reader: StatisticsReader,
  id: number,
  input: { readonly days?: number | null | undefined },
  now: Date,
): Promise<number[]> {
  const days = parseInput(sparklineInput, input).days ?? SPARKLINE_DAYS.default;
  const today = dayOf(now);
  const period = { from: daysAfter(today, 1 - days), to: today };
  const points = await reader.points('link', 'DAY', period, id);
  const known = new Map<number, number>(points.map(({ time, clicks }) => [time, clicks]));
  return Array.from(listTimes('DAY', period), ({ time }) => known.get(time) ?? 0);
}

const topInput = z.object({
  by: choiceSchema(statisticsDimensions),
  first: integerSchema(0, MAX_TOP),
});

function addCounts(one: Counts, other: Counts): Counts {
  return {
    clicks: one.clicks + other.clicks,
    described: one.described + other.described,
    visitors: one.visitors + other.visitors,
    bots: one.bots + other.bots,
  };
}

/** The hours, days or months of a period in order, and when they begin. */
function* listTimes(
  interval: StatisticsInterval,
  { from, to }: Days,
): Generator<Pick<StatisticsPoint, 'time' | 'start'>> {
  if (interval === 'MONTH') {
    for (let month = monthOf(from); month <= monthOf(to); month = monthsAfter(month, 1))
      yield { time: month, start: startOf(firstDayOf(month)) };
    return;
  }
  for (let day = from; day <= to; day = daysAfter(day, 1)) {
    if (interval === 'DAY') yield { time: day, start: startOf(day) };
    else for (let hour = 0; hour < 24; hour++) yield { time: hourIn(day, hour), start: startOf(day, hour) };
  }
}

/** The statistics of a link, a space, a tag or an account for a period. Reads only what is used. */
export class Statistics {
  readonly days: Days;
  readonly #reader: StatisticsReader;
  readonly #scope: Scope;
  readonly #id: number;
  #totals: Promise<Counts> | undefined;
  #points: Promise<readonly Point<Day>[]> | undefined;
  readonly #series = new Map<StatisticsInterval, Promise<readonly StatisticsPoint[]>>();

  /** @throws DomainError VALIDATION for an invalid period */
  constructor(reader: StatisticsReader, scope: Scope, id: number, period: PeriodInput, now: Date) {
    this.days = parsePeriod(period, now);
    this.#reader = reader;
    this.#scope = scope;
    this.#id = id;
  }

  /** The totals of the period. For others than a link, they are summed from the days, since a series is likely to be requested too. */
  totals(): Promise<Counts> {
    this.#totals ??=
      this.#scope === 'link'
        ? this.#reader.totals(this.#scope, this.days, this.#id)
        : this.#pointsOfDays().then((points) => points.reduce(addCounts, NOTHING));
    return this.#totals;
  }

  #pointsOfDays(): Promise<readonly Point<Day>[]> {
    this.#points ??= this.#reader.points(this.#scope, 'DAY', this.days, this.#id);
    return this.#points;
  }

  async #readPoints(interval: StatisticsInterval): Promise<readonly Point[]> {
    if (interval === 'DAY') return this.#pointsOfDays();
    if (interval === 'HOUR' || this.#scope === 'link')
      return this.#reader.points(this.#scope, interval, this.days, this.#id);
    const months = new Map<Month, Point>();
    for (const point of await this.#pointsOfDays()) {
      const time = monthOf(point.time);
      months.set(time, { ...addCounts(months.get(time) ?? NOTHING, point), time });
    }
    return [...months.values()];
  }

  /**
   * Every hour, day or month of the period, also those without counts.
   * @throws DomainError VALIDATION
   */
  async series(interval: StatisticsInterval, argument = 'interval'): Promise<readonly StatisticsPoint[]> {
    if (interval === 'HOUR' && countDays(this.days) > MAX_DAYS_OF_HOURS)
      throw invalidField(argument, refusal('HOURS', { max: MAX_DAYS_OF_HOURS, days: countDays(this.days) }));
    const known = this.#series.get(interval) ?? this.#readSeries(interval);
    this.#series.set(interval, known);
    return known;
  }

  async #readSeries(interval: StatisticsInterval): Promise<StatisticsPoint[]> {
    const points = await this.#readPoints(interval);
    // The points of many links come at once, and ten years of each are thousands of days.
    await pauseIfBlocked();
    const known = new Map<number, Point>(points.map((point) => [point.time, point]));
    return Array.from(listTimes(interval, this.days), ({ time, start }) => {
      const { clicks = 0, visitors = 0, bots = 0 } = known.get(time) ?? {};
      return { start, time, clicks, visitors: interval === 'HOUR' ? null : visitors, bots };
    });
  }

  /**
   * The clicks with one value in every day or month of the period; of an unknown value, those for which it could be known.
   * @throws DomainError VALIDATION
   */
  async valueSeries(input: ValueSeriesInput): Promise<readonly ValueSeriesPoint[]> {
    const { by, value = null, interval } = parseInput(valueSeriesInput, input);
    const asked = { ...dimensionValues[by], value, interval };
    const [known, all] = await Promise.all([
      this.#reader.valuePoints(this.#scope, this.days, this.#id, asked),
      value === null ? this.#readPoints(interval) : [],
    ]);
    await pauseIfBlocked();
    const clicks = new Map<number, number>(known.map((point) => [point.time, point.clicks]));
    if (value === null)
      for (const point of all) {
        const possible = by === 'DESTINATION' ? point.clicks : point.described;
        clicks.set(point.time, Math.max(0, possible - (clicks.get(point.time) ?? 0)));
      }
    return Array.from(listTimes(interval, this.days), ({ time, start }) => ({
      start,
      clicks: clicks.get(time) ?? 0,
    }));
  }

  /**
   * The values with the most clicks.
   * @throws DomainError VALIDATION
   */
  async top(input: { by: StatisticsDimension; first: number }): Promise<StatisticsTop> {
    const { by, first } = parseInput(topInput, input);
    const all = await this.#countClicks(by);
    const order = { by: 'CLICKS', descending: true, tiesAscend: true } as const;
    const rows = first === 0 ? [] : await this.#values(by, { ...order, offset: 0, limit: first }, all);
    const shown = rows.reduce((sum, { clicks }) => sum + clicks, 0);
    return { rows, others: Math.max(0, all - shown) };
  }

  /** The clicks of these destinations, the most first. A row without a value has those of all others. */
  async clicksTo(destinations: readonly string[]): Promise<StatisticsRow[]> {
    const order = { by: 'CLICKS', descending: true, tiesAscend: true } as const;
    const asked = { ...order, offset: 0, limit: destinations.length + 1, among: destinations };
    return this.#values('DESTINATION', asked, await this.#countClicks('DESTINATION'));
  }

  /** A slice of a dimension's values in an order, and their number. */
  async values(
    by: StatisticsDimension,
    order: { by: 'CLICKS' | 'VALUE'; descending: boolean },
    offset: number,
    limit: number,
  ): Promise<{ rows: StatisticsRow[]; total: number }> {
    const all = await this.#countClicks(by);
    const asked = { ...order, tiesAscend: false };
    const rows = await this.#values(by, { ...asked, offset, limit }, all);
    const [
      row = offset === 0 ? undefined : (await this.#values(by, { ...asked, offset: 0, limit: 1 }, all))[0],
    ] = rows;
    return { rows, total: row?.total ?? 0 };
  }

  /** Number of clicks that can have a value. Visitors who decline tracking have only a destination. */
  async #countClicks(by: StatisticsDimension): Promise<number> {
    const { clicks, described } = await this.totals();
    return by === 'DESTINATION' ? clicks : described;
  }

  async #values(
    by: StatisticsDimension,
    order: Omit<ValueQuery, 'kind' | 'column'>,
    all: number,
  ): Promise<(ValueRow & StatisticsRow)[]> {
    const asked = { ...dimensionValues[by], ...order };
    const rows = await this.#reader.values(this.#scope, this.days, { id: this.#id, all, asked });
    if (by !== 'VARIANT') return rows;
    const ids = new Set(rows.flatMap(({ value }) => variantIn(value)?.linkId ?? []));
    const nameOf = variantNames(await this.#reader.rulesOf([...ids]), this.#scope === 'link');
    return rows.map((row) => ({ ...row, value: nameOf(row.value), variant: variantIn(row.value) }));
  }
}

import { addDays, columnOf, DAY, type Days, dayOf, isDay, type Month, months } from '../../controls/days.ts';

/** Days as the API has them: in UTC. */
export type Period = Days;

/** The last days, today included. */
export function lastDays(days: number, now: number): Period {
  return { from: dayOf(now - (days - 1) * DAY), to: dayOf(now), days };
}

export const daysIn = ({ from, to }: Period): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY) + 1;

/** A day of the month that is so many months away; of a shorter month, the last one. */
function inMonth(day: string, months: number, date: number): string {
  const [year = 0, month = 1] = day.split('-').map(Number);
  const lastDate = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month - 1 + months, Math.min(date, lastDate)));
}
const lastOfMonth = (day: string, months: number): string => inMonth(day, months, 31);

/** From the first of the month: this month up to today, or the whole month before. */
export function monthOf(days: Month, now: number): Period {
  const today = dayOf(now);
  if (days === 'this-month') return { from: inMonth(today, 0, 1), to: today, days };
  return { from: inMonth(today, -1, 1), to: lastOfMonth(today, -1), days };
}

/** Returns the period before: for a month or its first days, as much of the month before; else as many days. */
export function before(period: Period): Period {
  const { from, to, days } = period;
  if (typeof days !== 'number' && from === inMonth(to, 0, 1)) {
    const date = to === lastOfMonth(to, 0) ? 31 : Number(to.slice(-2));
    return { from: inMonth(from, -1, 1), to: inMonth(from, -1, date) };
  }
  const length = daysIn(period) * DAY;
  return { from: dayOf(Date.parse(from) - length), to: dayOf(Date.parse(to) - length) };
}

/** The ten years before a period, less some days: the longest period that the API accepts. */
export function longBefore({ from }: Period): Period {
  const to = dayOf(Date.parse(from) - DAY);
  return { from: inMonth(to, -119, 1), to };
}

/** The lengths to choose from, in days. */
export const lengths = [7, 30, 90, 365] as const;
const USUAL = 30;

/** The period of a query string: `days` up to today, or of a month, or `from` one day `to` another; 30 days if it has none. */
export function parsePeriod(query: string, now: number): Period {
  const params = new URLSearchParams(query);
  const [from, to] = [params.get('from'), params.get('to')];
  // The API says what is wrong with other periods.
  if (isDay(from) && isDay(to)) return { from, to };
  const month = months.find((one) => one === params.get('days'));
  if (month) return monthOf(month, now);
  return lastDays(lengths.find((days) => String(days) === params.get('days')) ?? USUAL, now);
}

/** Puts a period into a query string, and keeps its other parameters. */
export function withPeriod(query: string, { from, to, days }: Period): string {
  const params = new URLSearchParams(query);
  for (const name of ['from', 'to', 'days']) params.delete(name);
  if (days === undefined) {
    params.set('from', from);
    params.set('to', to);
  } else if (days !== USUAL) params.set('days', String(days));
  return String(params);
}

/** 52 weeks, so that each begins on a Monday, too. */
const YEAR_OF_WEEKS = 364 * DAY;

/** Returns these dates a year before; for weeks, those with equal days of the week. */
export function yearBefore({ from, to }: Period, interval: Interval): Period {
  if (interval === 'WEEK')
    return { from: dayOf(Date.parse(from) - YEAR_OF_WEEKS), to: dayOf(Date.parse(to) - YEAR_OF_WEEKS) };
  const earlier = (day: string) => inMonth(day, -12, Number(day.slice(-2)));
  return { from: earlier(from), to: earlier(to) };
}

/** The comparisons that a period offers. */
export const comparisons = { before, year: yearBefore } as const;
export type Comparison = keyof typeof comparisons;

export const intervals = ['HOUR', 'DAY', 'WEEK', 'MONTH'] as const;
export type Interval = (typeof intervals)[number];

/** The intervals of a period to choose from, not too many of each. */
export function possibleIntervals(period: Period): Interval[] {
  const days = daysIn(period);
  return intervals.filter((one) => (one === 'HOUR' ? days <= 7 : one !== 'DAY' || days <= 1_100));
}

/** Reads the interval and the comparison of a query string. */
export function parseView(query: string, period: Period): { interval: Interval; comparison: Comparison } {
  const params = new URLSearchParams(query);
  const days = daysIn(period);
  const usual = days <= 2 ? 'HOUR' : days <= 92 ? 'DAY' : days <= 366 ? 'WEEK' : 'MONTH';
  const interval =
    possibleIntervals(period).find((one) => one === params.get('each')?.toUpperCase()) ?? usual;
  return { interval, comparison: params.get('compare') === 'year' ? 'year' : 'before' };
}

interface Counted {
  readonly start: string;
  readonly clicks: number;
  readonly visitors: number | null;
  readonly bots: number;
}

/** The counts of some days, or of an hour, up to the one that begins at `last`. */
export interface Span extends Counted {
  readonly last: string;
  readonly days: number;
}

/** The counts of an interval, and those of the days it is compared with; null if there are none. */
export interface Point extends Span {
  readonly earlier: Span | null;
  /** The number of days of the whole interval: more than `days` if the period cuts it, or it is not over. */
  readonly of: number;
}

/** The key of a group: a week from Monday on, a month, or the day or hour itself. */
function groupStart(start: string, interval: Interval): string {
  if (interval === 'MONTH') return start.slice(0, 7);
  return interval === 'WEEK' ? addDays(start, -columnOf(start)) : start;
}

function countHours(start: string, interval: Interval): number {
  if (interval === 'MONTH') return Number(lastOfMonth(start, 0).slice(-2));
  return interval === 'WEEK' ? 7 : 1;
}

function withCounted(span: Span | null | undefined, counted: Counted): Span {
  if (!span) return { ...counted, last: counted.start, days: 1 };
  return {
    ...{ start: span.start, last: counted.start, days: span.days + 1 },
    clicks: span.clicks + counted.clicks,
    visitors: counted.visitors === null ? span.visitors : counted.visitors + (span.visitors ?? 0),
    bots: span.bots + counted.bots,
  };
}

/** Groups hours or days by interval, each with as many earlier ones, which count from `begin` on if that is known. */
export function toPoints(
  series: readonly Counted[],
  past: readonly Counted[] | undefined,
  interval: Interval,
  begin = '',
): Point[] {
  const points = new Map<string, Point>();
  for (const [index, counted] of series.entries()) {
    const group = groupStart(counted.start, interval);
    const known = points.get(group);
    const earlier = past?.[index];
    points.set(group, {
      ...withCounted(known, counted),
      earlier:
        earlier && earlier.start >= begin ? withCounted(known?.earlier, earlier) : (known?.earlier ?? null),
      of: countHours(counted.start, interval),
    });
  }
  return [...points.values()];
}

/** The clicks and bots of a day, as one text to compare. */
export function formatSums(
  series: readonly Pick<Counted, 'start' | 'clicks' | 'bots'>[],
  day: string,
): string {
  const ofDay = series.filter(({ start }) => start.startsWith(day));
  const sum = (name: 'clicks' | 'bots') => ofDay.reduce((total, point) => total + point[name], 0);
  return JSON.stringify([sum('clicks'), sum('bots')]);
}

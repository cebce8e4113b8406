/** The milliseconds of a day. */
export const DAY = 86_400_000;
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The months to choose from, as addresses name them. */
export const months = ['this-month', 'last-month'] as const;
export type Month = (typeof months)[number];

/** Days of a period, both included, as `2026-12-24`; an end may be empty. */
export interface Days {
  readonly from: string;
  readonly to: string;
  /** The number of days up to today, or a month, if that is how they were chosen: such a period moves on with the calendar. */
  readonly days?: number | Month | undefined;
}

/** The last day that a calendar has: browsers take years of more than four digits. */
export const LAST_DAY = '9999-12-31';
export const FIRST_DAY = '0001-01-01';

/** True for a day such as `2026-12-24`. */
export const isDay = (text: string | null): text is string =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** The present day where the browser is. */
export const localToday = (): string => dayOf(Date.now() - new Date().getTimezoneOffset() * 60_000);

export const addDays = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY);

/** Returns an equal day of another month; of a shorter month, the last one. */
export function addMonths(day: string, months: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const first = new Date(0);
  first.setUTCFullYear(year, month - 1 + months + 1, 0);
  first.setUTCDate(Math.min(date, first.getUTCDate()));
  return dayOf(first.getTime());
}

/** The column of a day in a calendar, from 0: weeks begin on Monday, in every language. */
export const columnOf = (day: string): number => (new Date(day).getUTCDay() + 6) % 7;

/** Returns the days of the six weeks around a month, as rows of a calendar. */
export function weeksAround(day: string): string[][] {
  const begin = `${day.slice(0, 8)}01`;
  return [0, 1, 2, 3, 4, 5].map((week) =>
    [0, 1, 2, 3, 4, 5, 6].map((column) => addDays(begin, week * 7 + column - columnOf(begin))),
  );
}

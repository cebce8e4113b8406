// Hours, days and months in UTC as the database stores them: readable numbers, in order.

declare const unit: unique symbol;
type Time<Unit> = number & { readonly [unit]: Unit };

/** 2026112119 is the hour that begins at 19:00. */
export type Hour = Time<'hour'>;
/** 20261121 */
export type Day = Time<'day'>;
/** 202611 */
export type Month = Time<'month'>;

/** Days from the first to the last, both included. */
export interface Days {
  readonly from: Day;
  readonly to: Day;
}

export function hourOf(at: Date): Hour {
  return hourIn(dayOf(at), at.getUTCHours());
}

/** The hour of a day, from 0 to 23. */
export function hourIn(day: Day, hour: number): Hour {
  return (day * 100 + hour) as Hour;
}

export function dayOf(at: Date): Day {
  return ((at.getUTCFullYear() * 100 + at.getUTCMonth() + 1) * 100 + at.getUTCDate()) as Day;
}

export function dayOfHour(hour: Hour): Day {
  return Math.floor(hour / 100) as Day;
}

export function monthOf(day: Day): Month {
  return Math.floor(day / 100) as Month;
}

/** The beginning of a day, or of an hour of it. */
export function startOf(day: Day, hour = 0): Date {
  const month = monthOf(day);
  const at = new Date(0);
  // Unlike Date.UTC, this does not add 1900 to years up to 99.
  at.setUTCFullYear(Math.floor(month / 100), (month % 100) - 1, day % 100);
  at.setUTCHours(hour);
  return at;
}

/** The day a number of days later; negative for earlier. */
export function daysAfter(day: Day, days: number): Day {
  const at = startOf(day);
  at.setUTCDate(at.getUTCDate() + days);
  return dayOf(at);
}

/** The month a number of months later; negative for earlier. */
export function monthsAfter(month: Month, months: number): Month {
  const at = startOf(firstDayOf(month));
  at.setUTCMonth(at.getUTCMonth() + months);
  return monthOf(dayOf(at));
}

export function firstDayOf(month: Month): Day {
  return (month * 100 + 1) as Day;
}

export function lastDayOf(month: Month): Day {
  return daysAfter(firstDayOf(monthsAfter(month, 1)), -1);
}

const DAY_MS = 86_400_000;

export function countDays({ from, to }: Days): number {
  return (startOf(to).getTime() - startOf(from).getTime()) / DAY_MS + 1;
}

// Hours, days and months in UTC as the database stores them: readable numbers, in order.

/** 2026112119 is the hour that begins at 19:00. */
export function hourOf(at: Date): number {
  return dayOf(at) * 100 + at.getUTCHours();
}

/** 20261121 */
export function dayOf(at: Date): number {
  return (at.getUTCFullYear() * 100 + at.getUTCMonth() + 1) * 100 + at.getUTCDate();
}

/** The day of an hour, or the month of a day. */
export function enclosingPeriod(time: number): number {
  return Math.floor(time / 100);
}

/** The beginning of a day, or of an hour of it. */
export function startOf(day: number, hour = 0): Date {
  const at = new Date(0);
  // Unlike Date.UTC, this does not add 1900 to years up to 99.
  at.setUTCFullYear(enclosingPeriod(enclosingPeriod(day)), (enclosingPeriod(day) % 100) - 1, day % 100);
  at.setUTCHours(hour);
  return at;
}

/** The day a number of days later; negative for earlier. */
export function daysAfter(day: number, days: number): number {
  const at = startOf(day);
  at.setUTCDate(at.getUTCDate() + days);
  return dayOf(at);
}

/** The month a number of months later; negative for earlier. */
export function monthsAfter(month: number, months: number): number {
  const at = startOf(month * 100 + 1);
  at.setUTCMonth(at.getUTCMonth() + months);
  return enclosingPeriod(dayOf(at));
}

export function endOfMonth(month: number): number {
  return daysAfter(monthsAfter(month, 1) * 100 + 1, -1);
}

const DAY_MS = 86_400_000;

export function lengthOf({ from, to }: { readonly from: number; readonly to: number }): number {
  return (startOf(to).getTime() - startOf(from).getTime()) / DAY_MS + 1;
}

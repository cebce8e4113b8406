/** Days of a period, both included, as the API has them: in UTC. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

const DAY = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** The last days, today included. */
export function lastDays(days: number, now: number): Period {
  return { from: dayOf(now - (days - 1) * DAY), to: dayOf(now) };
}

export const daysIn = ({ from, to }: Period): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY) + 1;

/** The period of the same length before. */
export function before(period: Period): Period {
  const length = daysIn(period) * DAY;
  return { from: dayOf(Date.parse(period.from) - length), to: dayOf(Date.parse(period.to) - length) };
}

/** Hours for a few days, months for years. */
export function intervalOf(period: Period): 'HOUR' | 'DAY' | 'MONTH' {
  const days = daysIn(period);
  if (days <= 2) return 'HOUR';
  return days > 366 ? 'MONTH' : 'DAY';
}

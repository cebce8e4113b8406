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

/** The lengths to choose from, in days. */
export const lengths = [7, 30, 90, 365] as const;
const USUAL = 30;

const isDay = (text: string | null): text is string =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** The period of a query string: `days` up to today, or `from` one day `to` another; 30 days if it has none. */
export function periodOf(query: string, now: number): Period {
  const params = new URLSearchParams(query);
  const [from, to] = [params.get('from'), params.get('to')];
  // The API says what is wrong with other periods.
  if (isDay(from) && isDay(to)) return { from, to };
  return lastDays(lengths.find((days) => String(days) === params.get('days')) ?? USUAL, now);
}

/** The query string with a period in it, and whatever else it has. */
export function withPeriod(query: string, { from, to }: Period, now: number): string {
  const params = new URLSearchParams(query);
  for (const name of ['from', 'to', 'days']) params.delete(name);
  const length = lengths.find((days) => lastDays(days, now).from === from && lastDays(days, now).to === to);
  if (length === undefined) {
    params.set('from', from);
    params.set('to', to);
  } else if (length !== USUAL) params.set('days', String(length));
  return String(params);
}

/** Hours for a few days, months for years. */
export function intervalOf(period: Period): 'HOUR' | 'DAY' | 'MONTH' {
  const days = daysIn(period);
  if (days <= 2) return 'HOUR';
  return days > 366 ? 'MONTH' : 'DAY';
}

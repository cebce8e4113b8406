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

/** A day of the month that is so many months away; of a shorter month, the last one. */
function inMonth(day: string, months: number, date: number): string {
  const [year = 0, month = 1] = day.split('-').map(Number);
  const lastDate = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return dayOf(Date.UTC(year, month - 1 + months, Math.min(date, lastDate)));
}
const lastOfMonth = (day: string, months: number): string => inMonth(day, months, 31);

/** From the first of the month: this month up to today, or the whole month before. */
export function monthOf(which: 'this' | 'last', now: number): Period {
  const today = dayOf(now);
  if (which === 'this') return { from: inMonth(today, 0, 1), to: today };
  return { from: inMonth(today, -1, 1), to: lastOfMonth(today, -1) };
}

/** The period before: of a month, or its first days, as much of the month before; else the same number of days. */
export function before(period: Period): Period {
  const { from, to } = period;
  if (from === inMonth(to, 0, 1)) {
    const date = to === lastOfMonth(to, 0) ? 31 : Number(to.slice(-2));
    return { from: inMonth(from, -1, 1), to: inMonth(from, -1, date) };
  }
  const length = daysIn(period) * DAY;
  return { from: dayOf(Date.parse(from) - length), to: dayOf(Date.parse(to) - length) };
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

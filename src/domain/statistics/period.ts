import { z } from 'zod';
import { type Day, type Days, dayOf, daysAfter, startOf } from '../../db/statistics/calendar.ts';
import { invalidField } from '../../engine/rules/errors.ts';
import { parseInput } from '../../engine/rules/input.ts';
import { refusal } from '../rules.ts';

/** The default number of days of a period, and its maximum number of years. */
const DEFAULT_DAYS = 30;
const MAX_YEARS = 10;
const DAY_MS = 86_400_000;
const FIRST_DAY = '0001-01-01';

const wrong = refusal('DAY');

/** A calendar day, as `YYYY-MM-DD`. */
const dayInput = z.iso
  .date(wrong)
  .refine((text) => text >= FIRST_DAY, wrong)
  .meta({ type: 'string', format: 'date' });

export const periodInput = z.object({ from: dayInput.nullish(), to: dayInput.nullish() });

export type PeriodInput = { readonly from?: string | null; readonly to?: string | null };

/** `20261121` as `2026-11-21`. */
export function dayText(day: Day): string {
  return startOf(day).toISOString().slice(0, 10);
}

const dayIn = (text: string): Day => dayOf(new Date(text));

/**
 * The days of a period: both ends included, by default the last 30 days.
 * @throws DomainError VALIDATION
 */
export function parsePeriod(input: PeriodInput, now: Date): Days {
  const { from, to } = parseInput(periodInput, input);
  const last = to == null ? dayOf(now) : dayIn(to);
  const earliest = dayIn(FIRST_DAY);
  const start = from == null ? daysAfter(last, 1 - DEFAULT_DAYS) : dayIn(from);
  const first = start < earliest ? earliest : start;
  if (first > last) throw invalidField('from', refusal('DAY_AFTER_END', { to: dayText(last) }));
  // The same calendar day ten years before; days are numbers such as 20261121.
  if (first < last - MAX_YEARS * 10_000) throw invalidField('from', refusal('PERIOD', { years: MAX_YEARS }));
  return { from: first, to: last };
}

/** The time of an unparsed day; NaN for any other text. */
function dayTime(day: string): number {
  return day.length === FIRST_DAY.length ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
}

/** The number of days of an unparsed period, for the cost: at most the maximum. */
export function lengthOfPeriod(from: unknown, to: unknown): number {
  const max = MAX_YEARS * 366;
  const time = (day: unknown, otherwise: number) => (typeof day === 'string' ? dayTime(day) : otherwise);
  const end = time(to, Date.now());
  const days = (end - time(from, end - (DEFAULT_DAYS - 1) * DAY_MS)) / DAY_MS + 1;
  return Number.isNaN(days) ? max : Math.min(Math.max(Math.ceil(days), 1), max);
}

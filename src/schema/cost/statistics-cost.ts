import type { Scope } from '../../db/statistics/scope.ts';
import { MAX_DAYS_OF_HOURS } from '../../domain/statistics/statistics.ts';
import type { ArgumentValues } from './field-cost.ts';

/** The cost of reading the statistics of an owner; it doubles for a year. */
const READ_COSTS: Record<Scope, number> = { link: 10, space: 500, account: 50 };
const YEAR_DAYS = 365;
/** How many rows are shown by default. */
export const DEFAULT_ROWS = 10;

/** The cost of reading a period. */
export const readWork = (_args: ArgumentValues, { scope, days }: ArgumentValues): number =>
  READ_COSTS[scope as Scope] * (1 + Number(days) / YEAR_DAYS); // The values of `toChildren` of `statisticsOf`.

/** The maximum number of intervals of a series. */
export function bucketsOf({ interval }: ArgumentValues, { days }: ArgumentValues): number {
  const length = Number(days);
  // More days of hours are refused.
  if (interval === 'HOUR') return 24 * Math.min(length, MAX_DAYS_OF_HOURS);
  return interval === 'MONTH' ? Math.ceil(length / 28) + 1 : length;
}

/** How many days or hours of a list cost 1: all of them are made and sorted for each page. */
const TIMES_PER_COST = 2;

/** The cost of making a list of days or hours; other lists need none. */
export function listWork({ of }: ArgumentValues, fromParent: ArgumentValues): number {
  if (of !== 'HOURS' && of !== 'DAYS') return 0;
  return bucketsOf({ interval: of === 'HOURS' ? 'HOUR' : 'DAY' }, fromParent) / TIMES_PER_COST;
}

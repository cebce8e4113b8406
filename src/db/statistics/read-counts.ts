import { sql } from '../../engine/db/sql.ts';
import type { Data } from '../database.ts';
import { type Day, type Days, type Hour, hourIn, type Month } from './calendar.ts';
import { choosePlan, chooseSource, type Scope } from './scope.ts';

export interface Counts {
  readonly clicks: number;
  readonly described: number;
  readonly visitors: number;
  readonly bots: number;
}

/** The counts of one hour, day or month. */
export interface Point<Time = Hour | Day | Month> extends Counts {
  readonly time: Time;
}

/** The time of a point, by interval. */
export interface TimeOf {
  readonly HOUR: Hour;
  readonly DAY: Day;
  readonly MONTH: Month;
}

/** The counts of the days, for each owner that has any. */
export function readTotals(
  db: Data,
  scope: Scope,
  { from, to }: Days,
  ids: readonly number[],
): Promise<(Counts & { id: number })[]> {
  const source = chooseSource(scope, 'Day', ids);
  return db.read(sql`SELECT ${source.owner} AS "id", SUM("clicks") AS "clicks", SUM("described") AS "described",
      SUM("visitors") AS "visitors", SUM("bots") AS "bots"
      FROM ${source.from} AND "day" BETWEEN ${from} AND ${to} GROUP BY ${source.owner}`);
}

/** PostgreSQL refuses larger numbers, which hours have from the year 2147 on. */
const stored = (hour: Hour) => Math.min(hour, 2_147_483_647);

/** The counts of each hour, day or month that has any. Hours have only clicks and bots. */
export function readPoints<Interval extends keyof TimeOf>(
  db: Data,
  scope: Scope,
  interval: Interval,
  { from, to }: Days,
  ids: readonly number[],
): Promise<(Point<TimeOf[Interval]> & { id: number })[]> {
  const isHours = interval === 'HOUR';
  const { owner, from: tables } = chooseSource(scope, isHours ? 'Hour' : 'Day', ids);
  const column = isHours ? sql`"hour"` : sql`"day"`;
  const time = interval === 'MONTH' ? sql`"day" / 100` : column;
  const others = isHours
    ? sql`0 AS "described", 0 AS "visitors"`
    : sql`SUM("described") AS "described", SUM("visitors") AS "visitors"`;
  const [first, last] = isHours ? [stored(hourIn(from, 0)), stored(hourIn(to, 23))] : [from, to];
  // SQLite sorts the rows for the grouping: the time, which differs, is compared first.
  return db.read(sql`${choosePlan(scope)} SELECT ${owner} AS "id", ${time} AS "time", SUM("clicks") AS "clicks", ${others}, SUM("bots") AS "bots"
      FROM ${tables} AND ${column} BETWEEN ${first} AND ${last} GROUP BY ${time}, ${owner}`);
}

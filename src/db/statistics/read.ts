import type { Db } from '../connection/client.ts';
import { readRows } from '../connection/direct.ts';
import { join, name, type Sql, sql } from '../reading/list.ts';
import { above, daysAfter, endOfMonth, monthsAfter } from './calendar.ts';
import type { Kind, ValueColumn } from './value.ts';

/** The owner of statistics; those of a space are the sums over the links that are in it now. */
export type Scope = 'link' | 'space' | 'account';

/** Days from the first to the last, both included. */
export interface Days {
  readonly from: number;
  readonly to: number;
}

/** The counts of a period. */
export interface Counts {
  readonly clicks: number;
  readonly described: number;
  readonly visitors: number;
  readonly bots: number;
}

/** The same of one hour, day or month. */
export interface Point extends Counts {
  readonly time: number;
}

export type Times = 'Hour' | 'Day' | 'DayValue' | 'MonthValue';

/** The tables with the counts of owners, as "count"; `owner` is the id of each row's owner. */
function sourceOf(scope: Scope, what: Times, ids: readonly number[]): { owner: Sql; from: Sql } {
  const listed = join([...ids]);
  if (scope === 'space') {
    const owner = sql`"Link"."spaceId"`;
    // CROSS JOIN makes SQLite read the tables in this order: for each link its own rows.
    const tables = sql`"Link" CROSS JOIN ${name(`Link${what}`)} AS "count"`;
    return { owner, from: sql`${tables} WHERE "count"."linkId" = "Link"."id" AND ${owner} IN (${listed})` };
  }
  const [table, column] = scope === 'link' ? ['Link', 'linkId'] : ['Account', 'accountId'];
  const owner = sql`"count".${name(column)}`;
  return { owner, from: sql`${name(`${table}${what}`)} AS "count" WHERE ${owner} IN (${listed})` };
}

/** The counts of the days, for each owner that has any. */
export function readTotals(
  db: Db,
  scope: Scope,
  { from, to }: Days,
  ids: readonly number[],
): Promise<(Counts & { id: number })[]> {
  const source = sourceOf(scope, 'Day', ids);
  return readRows(
    db,
    sql`SELECT ${source.owner} AS "id", SUM("clicks") AS "clicks", SUM("described") AS "described",
      SUM("visitors") AS "visitors", SUM("bots") AS "bots"
      FROM ${source.from} AND "day" BETWEEN ${from} AND ${to} GROUP BY ${source.owner}`,
  );
}

/** The counts of each hour, day or month that has any. Hours have only clicks and bots. */
export function readPoints(
  db: Db,
  scope: Scope,
  interval: 'HOUR' | 'DAY' | 'MONTH',
  { from, to }: Days,
  ids: readonly number[],
): Promise<(Point & { id: number })[]> {
  const source = sourceOf(scope, interval === 'HOUR' ? 'Hour' : 'Day', ids);
  if (interval === 'HOUR')
    return readRows(
      db,
      sql`SELECT ${source.owner} AS "id", "hour" AS "time", SUM("clicks") AS "clicks", 0 AS "described", 0 AS "visitors",
        SUM("bots") AS "bots" FROM ${source.from} AND "hour" BETWEEN ${from * 100} AND ${to * 100 + 23} GROUP BY ${source.owner}, "hour"`,
    );
  const time = interval === 'DAY' ? sql`"day"` : sql`"day" / 100`;
  return readRows(
    db,
    sql`SELECT ${source.owner} AS "id", ${time} AS "time", SUM("clicks") AS "clicks", SUM("described") AS "described",
      SUM("visitors") AS "visitors", SUM("bots") AS "bots" FROM ${source.from} AND "day" BETWEEN ${from} AND ${to} GROUP BY ${source.owner}, ${time}`,
  );
}

/** The days as whole months, and days to add or to subtract: at each end, whichever are fewer. */
function partsOf({ from, to }: Days): { months: Days | null; added: Days[]; taken: Days[] } {
  const [first, last] = [above(from), above(to)];
  const [start, end] = [first * 100 + 1, endOfMonth(last)];
  if (first === last && (from > start || to < end)) return { months: null, added: [{ from, to }], taken: [] };
  const months = { from: first, to: last };
  const [added, taken] = [[] as Days[], [] as Days[]];
  if (from > start) {
    const [inside, outside] = [
      { from, to: endOfMonth(first) },
      { from: start, to: daysAfter(from, -1) },
    ];
    if (inside.to - inside.from < outside.to - outside.from) {
      months.from = monthsAfter(first, 1);
      added.push(inside);
    } else taken.push(outside);
  }
  if (to < end) {
    const [inside, outside] = [
      { from: last * 100 + 1, to },
      { from: daysAfter(to, 1), to: end },
    ];
    if (inside.to - inside.from < outside.to - outside.from) {
      months.to = monthsAfter(last, -1);
      added.push(inside);
    } else taken.push(outside);
  }
  return { months: months.from > months.to ? null : months, added, taken };
}

/** Which values to read. */
export interface ValuesAsked {
  readonly kind: Kind;
  readonly column: ValueColumn;
  readonly by: 'CLICKS' | 'VALUE';
  readonly descending: boolean;
  /** Whether values with equal clicks are in ascending order. */
  readonly tiesAscend: boolean;
  readonly offset: number;
  readonly limit: number;
}

/** One value of an owner: its rank in the order, and the number of values. */
export interface ValueRow {
  readonly id: number;
  readonly value: string | null;
  readonly clicks: number;
  readonly total: number;
}

function orderOf({ by, descending, tiesAscend }: ValuesAsked): Sql {
  const direction = descending ? sql`DESC` : sql`ASC`;
  const ofValue = sql`("value" IS NULL), "value" ${tiesAscend ? sql`ASC` : direction}`;
  return by === 'VALUE' ? ofValue : sql`"clicks" ${direction}, ${ofValue}`;
}

/**
 * The values of the clicks on the days, for each owner; `all` is the number of clicks that may have one. Clicks without a
 * value are a row with null.
 */
export function readValues(
  db: Db,
  scope: Scope,
  days: Days,
  asked: ValuesAsked,
  owners: readonly { readonly id: number; readonly all: number }[],
): Promise<ValueRow[]> {
  const { kind, column, offset, limit } = asked;
  const ids = owners.map(({ id }) => id);
  const { months, added, taken } = partsOf(days);
  const part = (what: 'DayValue' | 'MonthValue', { from, to }: Days, clicks = sql`"clicks"`) => {
    const source = sourceOf(scope, what, ids);
    const time = what === 'DayValue' ? sql`"day"` : sql`"month"`;
    return sql`SELECT ${source.owner} AS "id", "valueId", ${clicks} AS "clicks" FROM ${source.from}
      AND "kind" = ${kind} AND ${time} BETWEEN ${from} AND ${to}`;
  };
  const parts = [
    ...(months === null ? [] : [part('MonthValue', months)]),
    ...added.map((one) => part('DayValue', one)),
    ...taken.map((one) => part('DayValue', one, sql`-"clicks"`)),
  ];
  const given = join(
    owners.map(({ id, all }) => sql`SELECT CAST(${id} AS INTEGER) AS "id", CAST(${all} AS BIGINT) AS "all"`),
    ' UNION ALL ',
  );
  const value = sql`"VisitValue".${name(column)}`;
  return readRows(
    db,
    sql`WITH "sums" AS (
      SELECT "id", "valueId", SUM("clicks") AS "clicks" FROM (${join(parts, ' UNION ALL ')}) AS "parts" GROUP BY "id", "valueId"
    ), "known" AS MATERIALIZED (
      SELECT "sums"."id", ${value} AS "value", SUM("clicks") AS "clicks" FROM "sums"
      JOIN "VisitValue" ON "VisitValue"."id" = "valueId" WHERE ${value} IS NOT NULL
      GROUP BY "sums"."id", ${value} HAVING SUM("clicks") > 0
    ), "every" AS (
      SELECT "id", "value", "clicks" FROM "known" UNION ALL
      SELECT "id", NULL, "rest" FROM (
        SELECT "id", "all" - COALESCE((SELECT SUM("clicks") FROM "known" WHERE "known"."id" = "given"."id"), 0) AS "rest"
        FROM (${given}) AS "given"
      ) AS "unknown" WHERE "rest" > 0
    )
    SELECT "id", "value", "clicks", "total" FROM (
      SELECT "every".*, COUNT(*) OVER (PARTITION BY "id") AS "total",
        ROW_NUMBER() OVER (PARTITION BY "id" ORDER BY ${orderOf(asked)}) AS "rank" FROM "every"
    ) AS "ranked" WHERE "rank" > ${offset} AND "rank" <= ${offset + limit} ORDER BY "id", "rank"`,
  );
}

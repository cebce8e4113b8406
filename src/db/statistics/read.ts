import type { Db } from '../connection/db.ts';
import { dialectOf } from '../connection/dialect.ts';
import { readRows } from '../connection/raw-reads.ts';
import { empty, join, name, raw, type Sql, sql } from '../connection/sql.ts';
import { PLANNED_EACH_TIME } from '../connection/statement-names.ts';
import { daysAfter, enclosingPeriod, endOfMonth, monthsAfter } from './calendar.ts';
import type { Counted } from './rows.ts';
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

/** The tables with the counts of owners, as "count"; `owner` is the id of each row's owner. */
function sourceOf(scope: Scope, what: Counted, ids: readonly number[]): { owner: Sql; from: Sql } {
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

/** The prefix of a statement: the best plan for a space depends on the number of its links. */
const planOf = (scope: Scope): Sql => (scope === 'space' ? raw(PLANNED_EACH_TIME) : empty);

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

/** PostgreSQL refuses larger numbers, which hours have from the year 2147 on. */
const hour = (number: number) => Math.min(number, 2_147_483_647);

/** The counts of each hour, day or month that has any. Hours have only clicks and bots. */
export function readPoints(
  db: Db,
  scope: Scope,
  interval: 'HOUR' | 'DAY' | 'MONTH',
  { from, to }: Days,
  ids: readonly number[],
): Promise<(Point & { id: number })[]> {
  const isHours = interval === 'HOUR';
  const { owner, from: tables } = sourceOf(scope, isHours ? 'Hour' : 'Day', ids);
  const column = isHours ? sql`"hour"` : sql`"day"`;
  const time = interval === 'MONTH' ? sql`"day" / 100` : column;
  const others = isHours
    ? sql`0 AS "described", 0 AS "visitors"`
    : sql`SUM("described") AS "described", SUM("visitors") AS "visitors"`;
  const [first, last] = isHours ? [hour(from * 100), hour(to * 100 + 23)] : [from, to];
  // SQLite sorts the rows for the grouping: the time, which differs, is compared first.
  return readRows(
    db,
    sql`${planOf(scope)} SELECT ${owner} AS "id", ${time} AS "time", SUM("clicks") AS "clicks", ${others}, SUM("bots") AS "bots"
      FROM ${tables} AND ${column} BETWEEN ${first} AND ${last} GROUP BY ${time}, ${owner}`,
  );
}

/** The days as whole months, and days to add or to subtract: at each end, whichever are fewer. */
function partsOf({ from, to }: Days): { months: Days | null; added: Days[]; subtracted: Days[] } {
  const [first, last] = [enclosingPeriod(from), enclosingPeriod(to)];
  const [start, end] = [first * 100 + 1, endOfMonth(last)];
  const [added, subtracted]: [Days[], Days[]] = [[], []];
  if (first === last && (from > start || to < end))
    return { months: null, added: [{ from, to }], subtracted };
  /** Whether the month of an end belongs to the whole months. */
  const isWhole = (inside: Days, outside: Days): boolean => {
    if (outside.from > outside.to) return true;
    const isFewer = inside.to - inside.from < outside.to - outside.from;
    if (isFewer) added.push(inside);
    else subtracted.push(outside);
    return !isFewer;
  };
  const months = {
    from: isWhole({ from, to: endOfMonth(first) }, { from: start, to: daysAfter(from, -1) })
      ? first
      : monthsAfter(first, 1),
    to: isWhole({ from: last * 100 + 1, to }, { from: daysAfter(to, 1), to: end })
      ? last
      : monthsAfter(last, -1),
  };
  return { months: months.from > months.to ? null : months, added, subtracted };
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

/** A question about an owner; `all` is the number of its clicks that may have a value. */
export interface OwnerAsked {
  readonly id: number;
  readonly all: number;
  readonly asked: ValuesAsked;
}

/** One value of an owner, and how many values there are. */
export interface ValueRow {
  readonly value: string | null;
  readonly clicks: number;
  readonly total: number;
}

function orderOf({ by, descending, tiesAscend }: ValuesAsked): Sql {
  const direction = descending ? sql`DESC` : sql`ASC`;
  const ofValue = sql`("value" IS NULL), "value" ${tiesAscend ? sql`ASC` : direction}`;
  return by === 'VALUE' ? ofValue : sql`"clicks" ${direction}, ${ofValue}`;
}

/** The clicks of the days of each value, as "sums": of whole months where that reads fewer rows. */
function sumsOf(scope: Scope, days: Days, kinds: readonly Kind[], ids: readonly number[]): Sql {
  const { months, added, subtracted } = partsOf(days);
  const part = (what: 'DayValue' | 'MonthValue', { from, to }: Days, clicks = sql`"clicks"`) => {
    const source = sourceOf(scope, what, ids);
    const time = what === 'DayValue' ? sql`"day"` : sql`"month"`;
    return sql`SELECT ${source.owner} AS "id", "valueId", ${clicks} AS "clicks" FROM ${source.from}
      AND "kind" IN (${join([...kinds])}) AND ${time} BETWEEN ${from} AND ${to}`;
  };
  const parts = [
    ...(months === null ? [] : [part('MonthValue', months)]),
    ...added.map((one) => part('DayValue', one)),
    ...subtracted.map((one) => part('DayValue', one, sql`-"clicks"`)),
  ];
  return sql`"sums" AS MATERIALIZED (
    SELECT "id", "valueId", SUM("clicks") AS "clicks" FROM (${join(parts, ' UNION ALL ')}) AS "parts" GROUP BY "valueId", "id"
  )`;
}

/** The rows for all owners with the same question, with its index. Clicks without a value are a row whose value is null. */
function rowsOf(db: Db, index: number, asked: ValuesAsked, owners: readonly OwnerAsked[]): Sql {
  const value = sql`"VisitValue".${name(asked.column)}`;
  const known = name(`known${index}`);
  // An owner that is asked for twice has one row.
  const rows = [...new Map(owners.map(({ id, all }) => [id, all]))];
  const given = dialectOf(db).table({ id: 'integer', all: 'bigint' }, rows);
  return sql`SELECT CAST(${index} AS INTEGER) AS "index", "id", "value", "clicks", "total", "rank" FROM (
    WITH ${known} AS MATERIALIZED (
      SELECT "sums"."id", ${value} AS "value", SUM("clicks") AS "clicks" FROM "sums"
      JOIN "VisitValue" ON "VisitValue"."id" = "valueId" WHERE ${value} IS NOT NULL
      GROUP BY "sums"."id", ${value} HAVING SUM("clicks") > 0
    ), "every" AS (
      SELECT "id", "value", "clicks" FROM ${known} UNION ALL
      SELECT "id", NULL, "rest" FROM (
        SELECT "id", "all" - COALESCE((SELECT SUM("clicks") FROM ${known} WHERE ${known}."id" = "given"."id"), 0) AS "rest"
        FROM ${given} AS "given"
      ) AS "unknown" WHERE "rest" > 0
    )
    SELECT "every".*, COUNT(*) OVER (PARTITION BY "id") AS "total",
      ROW_NUMBER() OVER (PARTITION BY "id" ORDER BY ${orderOf(asked)}) AS "rank" FROM "every"
  ) AS ${name(`ranked${index}`)} WHERE "rank" > ${asked.offset} AND "rank" <= ${asked.offset + asked.limit}`;
}

/** How many different questions one statement answers at most. */
const MAX_DIFFERENT = 20;

/**
 * The values that the clicks of the days have: for each question the rows of its answer. Whatever is asked of the owners, their
 * clicks are read once.
 */
export async function readValues(
  db: Db,
  scope: Scope,
  days: Days,
  questions: readonly OwnerAsked[],
): Promise<ValueRow[][]> {
  const answers = new Map<OwnerAsked, ValueRow[]>();
  // Owners with the same question share a statement.
  const alike = [...Map.groupBy(questions, ({ asked }) => JSON.stringify(asked)).values()];
  for (let next = 0; next < alike.length; next += MAX_DIFFERENT) {
    const different = alike.slice(next, next + MAX_DIFFERENT);
    const all = different.flat();
    const ids = [...new Set(all.map(({ id }) => id))];
    const kinds = [...new Set(all.map(({ asked }) => asked.kind))];
    const parts = different.flatMap((owners, index) =>
      owners[0] ? [rowsOf(db, index, owners[0].asked, owners)] : [],
    );
    const rows = await readRows<ValueRow & { index: number; id: number }>(
      db,
      sql`${planOf(scope)} WITH ${sumsOf(scope, days, kinds, ids)} ${join(parts, ' UNION ALL ')} ORDER BY "index", "id", "rank"`,
    );
    const found = Map.groupBy(rows, ({ index, id }) => `${index} ${id}`);
    for (const [index, owners] of different.entries())
      for (const owner of owners) answers.set(owner, found.get(`${index} ${owner.id}`) ?? []);
  }
  return questions.map((question) => answers.get(question) ?? []);
}

import { join, name, raw, type Sql, sql } from '../../engine/db/sql.ts';
import { bidiControls } from '../../engine/tools/bidirectional.ts';
import type { Data } from '../database.ts';
import { type Days, daysAfter, firstDayOf, lastDayOf, type Month, monthOf, monthsAfter } from './calendar.ts';
import { choosePlan, chooseSource, type Scope } from './scope.ts';
import type { Kind, ValueColumn } from './value.ts';

interface Months {
  readonly from: Month;
  readonly to: Month;
}

/** The days as whole months, and days to add or to subtract: at each end, whichever are fewer. */
export function splitIntoMonths({ from, to }: Days): {
  months: Months | null;
  added: Days[];
  subtracted: Days[];
} {
  const [first, last] = [monthOf(from), monthOf(to)];
  const [start, end] = [firstDayOf(first), lastDayOf(last)];
  const [added, subtracted]: [Days[], Days[]] = [[], []];
  if (first === last && (from > start || to < end))
    return { months: null, added: [{ from, to }], subtracted };
  /** Returns true if the month of an end belongs to the whole months; otherwise notes its days. */
  const isWhole = (inside: Days, outside: Days): boolean => {
    if (outside.from > outside.to) return true;
    const isFewer = inside.to - inside.from < outside.to - outside.from;
    if (isFewer) added.push(inside);
    else subtracted.push(outside);
    return !isFewer;
  };
  const months = {
    from: isWhole({ from, to: lastDayOf(first) }, { from: start, to: daysAfter(from, -1) })
      ? first
      : monthsAfter(first, 1),
    to: isWhole({ from: firstDayOf(last), to }, { from: daysAfter(to, 1), to: end })
      ? last
      : monthsAfter(last, -1),
  };
  return { months: months.from > months.to ? null : months, added, subtracted };
}

/** Which values to read. */
export interface ValueQuery {
  readonly kind: Kind;
  readonly column: ValueColumn;
  readonly by: 'CLICKS' | 'VALUE';
  readonly descending: boolean;
  /** True if values with equal clicks are in ascending order. */
  readonly tiesAscend: boolean;
  readonly offset: number;
  readonly limit: number;
  /** The only values to read; clicks with any other count as those without a value. */
  readonly among?: readonly string[];
}

/** A question about an owner; `all` is the number of its clicks that may have a value. */
export interface OwnerQuery {
  readonly id: number;
  readonly all: number;
  readonly asked: ValueQuery;
}

/** One value of an owner, and how many values there are. */
export interface ValueRow {
  readonly value: string | null;
  readonly clicks: number;
  readonly total: number;
}

function orderSql({ by, descending, tiesAscend }: ValueQuery): Sql {
  const direction = descending ? sql`DESC` : sql`ASC`;
  const ofValue = sql`("value" IS NULL), "value" ${tiesAscend ? sql`ASC` : direction}`;
  return by === 'VALUE' ? ofValue : sql`"clicks" ${direction}, ${ofValue}`;
}

/** The clicks of the days of each value, as "sums": of whole months where that reads fewer rows. */
function sumsSql(scope: Scope, days: Days, kinds: readonly Kind[], ids: readonly number[]): Sql {
  const { months, added, subtracted } = splitIntoMonths(days);
  const part = (what: 'DayValue' | 'MonthValue', { from, to }: Days | Months, clicks = sql`"clicks"`) => {
    const source = chooseSource(scope, what, ids);
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

/** The destination as it is sent: earlier versions counted it as it was written. Most are ASCII, which takes no time. */
const DESTINATION = raw(
  `CASE WHEN octet_length("destination") = length("destination") THEN "destination" ELSE ${[
    ...bidiControls,
  ].reduce((column, [control, sent]) => `replace(${column}, '${control}', '${sent}')`, '"destination"')} END`,
);

/** The rows for all owners with the same question, with its index. Clicks without a value are a row whose value is null. */
function valueRows(db: Data, index: number, asked: ValueQuery, owners: readonly OwnerQuery[]): Sql {
  const value = asked.column === 'destination' ? DESTINATION : sql`"VisitValue".${name(asked.column)}`;
  const wanted = asked.among === undefined ? sql`IS NOT NULL` : sql`IN (${join([...asked.among])})`;
  const known = name(`known${index}`);
  // An owner that is asked for twice has one row.
  const rows = [...new Map(owners.map(({ id, all }) => [id, all]))];
  const given = db.dialect.table({ id: 'integer', all: 'bigint' }, rows);
  return sql`SELECT CAST(${index} AS INTEGER) AS "index", "id", "value", "clicks", "total", "rank" FROM (
    WITH ${known} AS MATERIALIZED (
      SELECT "sums"."id", ${value} AS "value", SUM("clicks") AS "clicks" FROM "sums"
      JOIN "VisitValue" ON "VisitValue"."id" = "valueId" WHERE ${value} ${wanted}
      GROUP BY "sums"."id", ${value} HAVING SUM("clicks") > 0
    ), "every" AS (
      SELECT "id", "value", "clicks" FROM ${known} UNION ALL
      SELECT "id", NULL, "rest" FROM (
        SELECT "id", "all" - COALESCE((SELECT SUM("clicks") FROM ${known} WHERE ${known}."id" = "given"."id"), 0) AS "rest"
        FROM ${given} AS "given"
      ) AS "unknown" WHERE "rest" > 0
    )
    SELECT "every".*, COUNT(*) OVER (PARTITION BY "id") AS "total",
      ROW_NUMBER() OVER (PARTITION BY "id" ORDER BY ${orderSql(asked)}) AS "rank" FROM "every"
  ) AS ${name(`ranked${index}`)} WHERE "rank" > ${asked.offset} AND "rank" <= ${asked.offset + asked.limit}`;
}

const MAX_QUERIES = 20;

/**
 * The values that the clicks of the days have: for each question the rows of its answer. Whatever is asked of the owners, their
 * clicks are read once.
 */
export async function readValues(
  db: Data,
  scope: Scope,
  days: Days,
  questions: readonly OwnerQuery[],
): Promise<ValueRow[][]> {
  const answers = new Map<OwnerQuery, ValueRow[]>();
  // Owners with the same question share a statement.
  const alike = [...Map.groupBy(questions, ({ asked }) => JSON.stringify(asked)).values()];
  for (let next = 0; next < alike.length; next += MAX_QUERIES) {
    const different = alike.slice(next, next + MAX_QUERIES);
    const all = different.flat();
    const ids = [...new Set(all.map(({ id }) => id))];
    const kinds = [...new Set(all.map(({ asked }) => asked.kind))];
    const parts = different.flatMap((owners, index) =>
      owners[0] ? [valueRows(db, index, owners[0].asked, owners)] : [],
    );
    const rows = await db.read<ValueRow & { index: number; id: number }>(
      sql`${choosePlan(scope)} WITH ${sumsSql(scope, days, kinds, ids)} ${join(parts, ' UNION ALL ')} ORDER BY "index", "id", "rank"`,
    );
    const found = Map.groupBy(rows, ({ index, id }) => `${index} ${id}`);
    for (const [index, owners] of different.entries())
      for (const owner of owners) answers.set(owner, found.get(`${index} ${owner.id}`) ?? []);
  }
  return questions.map((question) => answers.get(question) ?? []);
}

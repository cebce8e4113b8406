import { join, name, PLANNED_EACH_TIME, raw, type Sql, sql } from '../../engine/db/sql.ts';
import { listSpellings } from '../../engine/tools/bidirectional.ts';
import type { Data } from '../database.ts';
import type { Day, Days, Month } from './calendar.ts';
import { splitIntoMonths } from './read-values.ts';
import { chooseSource, isGroup, type Scope } from './scope.ts';
import { type Kind, kinds, type ValueColumn, visitValue } from './value.ts';

/** The values whose clicks are read: one, or all known ones if it is null. */
export interface ValuePointsQuery {
  readonly kind: Kind;
  readonly column: ValueColumn;
  readonly value: string | null;
  readonly interval: 'DAY' | 'MONTH';
}

/** The clicks of an owner's day or month with these values. */
export interface ValuePoint {
  readonly id: number;
  readonly time: Day | Month;
  readonly clicks: number;
}

/** A condition on rows of "VisitValue". */
function isAsked({ kind, column, value }: ValuePointsQuery): Sql {
  const isAlone = kind === kinds.REFERRER || kind === kinds.DESTINATION || kind === kinds.VARIANT;
  if (value === null) return sql`"VisitValue".${name(column)} IS NOT NULL`;
  if (!isAlone) return sql`"VisitValue".${name(column)} = ${value}`;
  // The values themselves have no index.
  const hashes = listSpellings(value).map((one) => visitValue(kind, { [column]: one }).hash);
  return sql`"VisitValue"."hash" IN (${join(hashes)})`;
}

/** The clicks of each day or month that has any, for each owner. */
export function readValuePoints(
  db: Data,
  scope: Scope,
  days: Days,
  ids: readonly number[],
  asked: ValuePointsQuery,
): Promise<ValuePoint[]> {
  const part = (
    what: 'DayValue' | 'MonthValue',
    from: number,
    to: number,
    clicks = sql`"count"."clicks"`,
  ) => {
    const source = chooseSource(scope, what, ids);
    const column = what === 'DayValue' ? sql`"count"."day"` : sql`"count"."month"`;
    const time = what === 'DayValue' && asked.interval === 'MONTH' ? sql`${column} / 100` : column;
    return sql`SELECT ${source.owner} AS "id", ${time} AS "time", "valueId", ${clicks} AS "clicks" FROM ${source.from}
      AND "count"."kind" = ${asked.kind} AND ${column} BETWEEN ${from} AND ${to}`;
  };
  const split =
    asked.interval === 'MONTH' ? splitIntoMonths(days) : { months: null, added: [days], subtracted: [] };
  const { months, added, subtracted } = split;
  const parts = [
    ...(months === null ? [] : [part('MonthValue', months.from, months.to)]),
    ...added.map(({ from, to }) => part('DayValue', from, to)),
    ...subtracted.map(({ from, to }) => part('DayValue', from, to, sql`-"count"."clicks"`)),
  ];
  const plan = isGroup(scope) ? raw(PLANNED_EACH_TIME) : sql``;
  return db.read(sql`${plan} SELECT "parts"."id" AS "id", "time", SUM("parts"."clicks") AS "clicks"
    FROM (${join(parts, ' UNION ALL ')}) AS "parts" JOIN "VisitValue" ON "VisitValue"."id" = "valueId"
    WHERE ${isAsked(asked)} GROUP BY "time", "parts"."id"`);
}

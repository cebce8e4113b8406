import { join, name, PLANNED_EACH_TIME, raw, type Sql, sql } from '../../engine/db/sql.ts';
import { listSpellings } from '../../engine/tools/bidirectional.ts';
import type { Data } from '../database.ts';
import { type Days, monthOf } from './calendar.ts';
import { splitIntoMonths } from './read-values.ts';
import { linksIn, type Scope } from './scope.ts';
import { type Kind, kinds, type ValueColumn, visitValue } from './value.ts';

/** Counts only clicks with a value; null is an unknown one. */
export interface OneValue {
  readonly kind: Kind;
  readonly column: ValueColumn;
  readonly value: string | null;
}

export interface TopLinksQuery {
  /** The account of the owners. */
  readonly accountId: number;
  readonly by: OneValue | null;
  readonly limit: number;
}

/** The number of clicks of a link; `id` is the owner that was asked for. */
export interface TopLink {
  readonly id: number;
  readonly linkId: number;
  readonly clicks: number;
}

/**
 * Numbers of an account's links to count: first those with the most clicks of all time, and at most so many one by one.
 * No link has more clicks in a period than in all.
 */
const COUNTED = { first: 1_000, most: 20_000 };

/** The ids in `VisitValue` that have the value, or for an unknown one all that have any; null if all of the kind have one. */
async function readValueIds(
  db: Data,
  accountId: number,
  { from, to }: Days,
  { kind, column, value }: OneValue,
): Promise<number[] | null> {
  const isAlone = kind === kinds.REFERRER || kind === kinds.DESTINATION;
  if (isAlone && value === null) return null;
  const is = value === null ? sql`IS NOT NULL` : sql`= ${value}`;
  const rows = await db.read<{ id: number }>(
    isAlone
      ? sql`SELECT "id" FROM "VisitValue" WHERE "hash" IN (${join(
          listSpellings(value ?? '').map((one) => visitValue(kind, { [column]: one }).hash),
        )})`
      : sql`SELECT DISTINCT "id" FROM "AccountMonthValue" JOIN "VisitValue" ON "id" = "valueId"
          WHERE "accountId" = ${accountId} AND "AccountMonthValue"."kind" = ${kind}
            AND "AccountMonthValue"."month" BETWEEN ${monthOf(from)} AND ${monthOf(to)} AND ${name(column)} ${is}`,
  );
  return rows.map(({ id }) => id);
}

/** The clicks of "candidate" in the days, as an expression that reads the rows of this link alone. */
function clicksSql(days: Days, by: OneValue | null, valueIds: readonly number[] | null): Sql {
  const sumSql = (table: string, sum: string, where: Sql) =>
    sql`COALESCE((SELECT SUM(${name(sum)}) FROM ${name(table)} AS "count"
      WHERE "count"."linkId" = "candidate"."linkId" AND ${where}), 0)`;
  const whole = (sum: string) => sumSql('LinkDay', sum, sql`"day" BETWEEN ${days.from} AND ${days.to}`);
  if (by === null) return whole('clicks');
  const ofValues = valueIds === null ? sql`1 = 1` : sql`"valueId" IN (${join([...valueIds, 0])})`;
  const ofKind = sql`"kind" = ${by.kind} AND ${ofValues}`;
  const ofDays = ({ from, to }: Days) =>
    sumSql('LinkDayValue', 'clicks', sql`${ofKind} AND "day" BETWEEN ${from} AND ${to}`);
  const { months, added, subtracted } = splitIntoMonths(days);
  const plus = [
    sql`0`,
    ...(months === null
      ? []
      : [
          sumSql(
            'LinkMonthValue',
            'clicks',
            sql`${ofKind} AND "month" BETWEEN ${months.from} AND ${months.to}`,
          ),
        ]),
    ...added.map(ofDays),
  ];
  const known = join([join(plus, ' + '), ...subtracted.map(ofDays)], ' - ');
  if (by.value !== null) return known;
  return sql`${whole(by.kind === kinds.DESTINATION ? 'clicks' : 'described')} - (${known})`;
}

/** The first links of each owner; those with equal clicks from the newest to the oldest. */
function ranked(links: Sql, limit: number): Sql {
  return sql`SELECT "id", "linkId", "clicks" FROM (
    SELECT "links".*, ROW_NUMBER() OVER (PARTITION BY "id" ORDER BY "clicks" DESC, "linkId" DESC) AS "rank"
    FROM (${links}) AS "links" WHERE "clicks" > 0
  ) AS "ranked" WHERE "rank" <= ${limit} ORDER BY "id", "rank"`;
}

/** The links with the most clicks of the days. */
export async function readTopLinks(
  db: Data,
  scope: Exclude<Scope, 'link'>,
  days: Days,
  ids: readonly number[],
  { accountId, by, limit }: TopLinksQuery,
  counted = COUNTED,
): Promise<TopLink[]> {
  const valueIds = by && (await readValueIds(db, accountId, days, by));
  if (by !== null && by.value !== null && valueIds?.length === 0) return [];
  const clicks = clicksSql(days, by, valueIds);
  const read = (candidates: Sql) =>
    db.read<TopLink>(
      sql`${raw(PLANNED_EACH_TIME)} ${ranked(
        sql`SELECT "candidate"."id", "candidate"."linkId", ${clicks} AS "clicks" FROM (${candidates}) AS "candidate"`,
        limit,
      )}`,
    );
  if (scope !== 'account') return read(linksIn(scope, ids));

  const found: TopLink[] = [];
  for (const id of new Set(ids)) found.push(...(await readOfAccount(id)));
  return found;

  async function readOfAccount(id: number): Promise<TopLink[]> {
    const counters = sql`SELECT "accountId" AS "id", "linkId" FROM "LinkCounter" WHERE "accountId" = ${id}`;
    const after = (skipped: number) =>
      sql`COALESCE((SELECT "clicks" FROM "LinkCounter" WHERE "accountId" = ${id} ORDER BY "clicks" DESC LIMIT 1 OFFSET ${skipped}), 0)`;
    // In a long period, the best of all time are the best, and each of them has many days to read.
    const few = Math.min(3 * limit, counted.first);
    const [bound = { few: 0, first: 0, most: 0 }] = await db.read<Record<'few' | 'first' | 'most', number>>(
      sql`SELECT ${after(few)} AS "few", ${after(counted.first)} AS "first", ${after(counted.most)} AS "most"`,
    );
    const readFirst = (number: number) => read(sql`${counters} ORDER BY "clicks" DESC LIMIT ${number}`);
    const leastClicks = (top: readonly TopLink[]) => top[limit - 1]?.clicks ?? 1;
    let top = await readFirst(few);
    if (leastClicks(top) > bound.few) return top;
    top = await readFirst(counted.first);
    const least = leastClicks(top);
    if (least > bound.first) return top;
    if (least > bound.most) return read(sql`${counters} AND "clicks" >= ${least}`);
    // Many links have about as many clicks in all as the best of the period: what was counted in the period is less.
    return readOfDays(id);
  }

  /** Reads all that was counted in the period, whoever's it is. */
  async function readOfDays(id: number): Promise<TopLink[]> {
    const account = sql`(SELECT "accountId" FROM "LinkCounter" WHERE "LinkCounter"."linkId" = "all"."linkId")`;
    const inDays = sql`"day" BETWEEN ${days.from} AND ${days.to}`;
    // Only few are compared with the account: the offset keeps the order of the inner SELECT apart.
    if (by === null)
      return db.read(sql`SELECT ${account} AS "id", "linkId", "clicks" FROM (
          SELECT "linkId", SUM("clicks") AS "clicks" FROM "LinkDay" WHERE ${inDays}
          GROUP BY "linkId" HAVING SUM("clicks") > 0 ORDER BY "clicks" DESC, "linkId" DESC LIMIT 1000000000 OFFSET 0
        ) AS "all" WHERE ${account} = ${id} ORDER BY "clicks" DESC, "linkId" DESC LIMIT ${limit}`);
    const inMonths = sql`"month" BETWEEN ${monthOf(days.from)} AND ${monthOf(days.to)}`;
    const all =
      by.value === null
        ? sql`SELECT DISTINCT "linkId" FROM "LinkDay" WHERE ${inDays}`
        : sql`SELECT DISTINCT "linkId" FROM "LinkMonthValue" WHERE "valueId" IN (${join(valueIds ?? [])}) AND ${inMonths}`;
    return read(sql`SELECT ${account} AS "id", "linkId" FROM (${all}) AS "all" WHERE ${account} = ${id}`);
  }
}

import { type Day, monthOf } from '../db/statistics/calendar.ts';
import { type Counted, countTables } from '../db/statistics/scope.ts';
import type { Value } from '../db/statistics/value.ts';
import type { Data, Statements, Writable } from '../engine/db/database.ts';
import { dateText } from '../engine/db/driver.ts';
import { join, name, type Sql, sql } from '../engine/db/sql.ts';
import type { LinkCounter, Prisma } from '../generated/sqlite/client.ts';
import { addVisitors, Salts } from './day-visitors.ts';
import { requireFewRows } from './row-limit.ts';
import { type MonthOfValue, ValueIds } from './value-ids.ts';
import { type ListValues, limitValues } from './value-limit.ts';
import { countUnwritten, type DayOfLink, type LinkVisits, listDays, type Visits } from './visit-counts.ts';

/** The largest number that JavaScript holds exactly: a link's counters stop there instead of failing. */
export const MAX_COUNT: Sql = sql`9007199254740991`;

/** Identifies a write that may be sent again: the process, and the number of its write, from 1. */
export interface Receipt {
  readonly processId: string;
  readonly number: number;
}

/** Milliseconds for which receipts are kept. */
const RECEIPT_LIFETIME = 7 * 24 * 60 * 60 * 1000;

/** Claims the receipt; returns true if this write was not committed before. */
async function isNew(tx: Statements, { processId, number }: Receipt): Promise<boolean> {
  const inserted = await tx.execute(sql`
    INSERT INTO "ClickReceipt" ("processId", "number", "at")
      VALUES (${processId}, ${number}, ${dateText(new Date())})
    ON CONFLICT ("processId") DO UPDATE SET "number" = EXCLUDED."number", "at" = EXCLUDED."at"
      WHERE "ClickReceipt"."number" < EXCLUDED."number"`);
  return inserted > 0;
}

/** Deletes the receipts of processes that ended long ago. */
export async function deleteOldReceipts(db: Data): Promise<void> {
  const before = dateText(new Date(Date.now() - RECEIPT_LIFETIME));
  await db.execute(sql`DELETE FROM "ClickReceipt" WHERE "at" < ${before}`);
}

type Counter = Pick<LinkCounter, 'accountId' | 'resets'>;

/** The counters of the links that still exist, by link id, locked until the transaction ends. */
async function lockedLinks(tx: Statements, visits: Visits): Promise<Map<number, Counter>> {
  const ids = [...visits.keys()].sort((a, b) => a - b).map((id) => [id]);
  const rows = await tx.read<{ linkId: number } & Counter>(sql`
    SELECT "linkId", "accountId", "resets" FROM ${tx.dialect.table({ id: 'integer' }, ids)} AS "given"
    JOIN "LinkCounter" ON "linkId" = "id" ORDER BY "linkId"
    ${tx.dialect.lock('FOR NO KEY UPDATE OF "LinkCounter"')}`);
  return new Map(rows.map(({ linkId, ...counter }) => [linkId, counter]));
}

async function addClicks(tx: Statements, visits: Visits): Promise<void> {
  const rows = [...visits].flatMap(([id, link]) => {
    const clicks = countUnwritten(link);
    return clicks > 0 && link.last !== null ? [[id, clicks, dateText(link.last)]] : [];
  });
  if (rows.length === 0) return;
  const { table, least, greatest } = tx.dialect;
  const given = table({ id: 'integer', count: 'integer', last: 'timestamp' }, rows);
  const clicks = least(sql`"clicks" + "count"`, MAX_COUNT);
  const last = greatest(sql`COALESCE("lastClickedAt", "last")`, sql`"last"`);
  await tx.execute(sql`UPDATE "LinkCounter" SET "clicks" = ${clicks}, "lastClickedAt" = ${last}
    FROM ${given} AS "given" WHERE "linkId" = "id"`);
}

/**
 * The counts of a link without the values and visitors of days whose clicks were already counted before the last reset:
 * these clicks were deleted.
 */
function withoutReset(link: LinkVisits, { resets }: Counter): LinkVisits {
  const isReset = (day: DayOfLink) => day.resets !== null && day.resets < resets;
  if (![...link.days.values()].some(isReset)) return link;
  const nothing = { described: 0, visitors: new Set<string>(), values: new Map<Value, number>() };
  const days = [...link.days].map(
    ([day, one]) => [day, isReset(one) ? { ...one, ...nothing } : one] as const,
  );
  return { ...link, days: new Map(days) };
}

/**
 * The visits without values and visitors of days that have no counts in the database: those of days whose counts were refused,
 * or deleted since they were written.
 */
async function withoutOrphans(tx: Statements, visits: Visits): Promise<Visits> {
  const bare = [...listDays(visits)].flatMap(([id, day, { clicks, bots }]) =>
    clicks + bots === 0 ? [[id, day]] : [],
  );
  if (bare.length === 0) return visits;
  const rows = await tx.read<{ linkId: number; day: Day }>(sql`
    SELECT "linkId", "day" FROM ${tx.dialect.table({ id: 'integer', of: 'integer' }, bare)} AS "given"
    JOIN "LinkDay" ON "linkId" = "id" AND "day" = "of"`);
  const found = new Set(rows.map(({ linkId, day }) => `${linkId} ${day}`));
  const isKept = (id: number, [day, { clicks, bots }]: [number, DayOfLink]) =>
    clicks + bots > 0 || found.has(`${id} ${day}`);
  return new Map(
    [...visits].map(([id, link]) => {
      const days = new Map([...link.days].filter((day) => isKept(id, day)));
      return [id, { ...link, days }];
    }),
  );
}

/** Adds to rows, and inserts missing ones: the sums of rows with equal keys, unless all are 0. All processes use the same order. */
async function addTo(
  tx: Statements,
  table: Prisma.ModelName,
  keys: readonly string[],
  sums: readonly string[],
  rows: readonly (readonly number[])[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = [...keys, ...sums];
  const key = join(keys.map(name));
  const given = tx.dialect.table(Object.fromEntries(columns.map((column) => [column, 'integer'])), rows);
  const summed = sums.map((sum) => sql`SUM(${name(sum)})`);
  const isAny = sums.map((sum) => sql`SUM(${name(sum)}) <> 0`);
  const added = sums.map((sum) => sql`${name(sum)} = ${name(table)}.${name(sum)} + EXCLUDED.${name(sum)}`);
  await tx.execute(sql`
    INSERT INTO ${name(table)} (${join(columns.map(name))}) SELECT ${key}, ${join(summed)} FROM ${given} AS "given"
    GROUP BY ${key} HAVING ${join(isAny, ' OR ')} ORDER BY ${key}
    ON CONFLICT (${key}) DO UPDATE SET ${join(added)}`);
}

/** Adds to rows of links, which this write has locked, and then to those of their accounts. */
async function addToBoth(
  tx: Statements,
  counted: Readonly<Record<Counted, readonly number[][]>>,
  counters: ReadonlyMap<number, Counter>,
): Promise<void> {
  for (const owner of ['Link', 'Account'] as const)
    for (const { what, keys, sums } of countTables) {
      const rows =
        owner === 'Link'
          ? counted[what]
          : counted[what].map(([linkId = 0, ...rest]) => [counters.get(linkId)?.accountId ?? 0, ...rest]);
      await addTo(tx, `${owner}${what}`, [owner === 'Link' ? 'linkId' : 'accountId', ...keys], sums, rows);
    }
}

/** The values, each with the last month in which it is used. */
function lastMonths(visits: Visits, listValues: ListValues): Map<string, MonthOfValue> {
  const months = new Map<string, MonthOfValue>();
  for (const [id, day, counted] of listDays(visits)) {
    const month = monthOf(day);
    for (const value of listValues(id, day, counted).keys())
      if (month > (months.get(value.hash)?.month ?? 0)) months.set(value.hash, { value, month });
  }
  return months;
}

/** Writes visits, and remembers the salts of days and the ids of values. */
export class VisitWriter {
  readonly #db: Writable;
  readonly #ids = new ValueIds();
  readonly #salts = new Salts();
  readonly #limitsRows: boolean;

  /** @param options.limitsRows whether what has too many rows for one transaction is refused; by default it is written */
  constructor(db: Writable, { limitsRows = false } = {}) {
    this.#db = db;
    this.#limitsRows = limitsRows;
  }

  /**
   * Adds visits of many links to their clicks and statistics, in one transaction. Deleted links are skipped. If a write is
   * repeated with the same receipt, because its answer was lost, it counts once.
   * @throws TooManyRows if one transaction may not write them
   */
  async write(visits: Visits, receipt: Receipt): Promise<void> {
    const days = [...listDays(visits)].flatMap(([, day, { visitors }]) => (visitors.size > 0 ? day : []));
    const daySalts = await this.#salts.forDays(this.#db, new Set(days));
    // Cache ids only after the commit.
    const newIds = await this.#db.transaction(async (tx) => {
      if (!(await isNew(tx, receipt))) return null;
      const counters = await lockedLinks(tx, visits);
      const existing: Visits = new Map();
      for (const [id, link] of visits) {
        const counter = counters.get(id);
        if (counter !== undefined) existing.set(id, withoutReset(link, counter));
      }
      if (existing.size === 0) return null;
      if (this.#limitsRows) requireFewRows(existing, (id) => counters.get(id)?.accountId);
      const present = await withoutOrphans(tx, existing);
      await addClicks(tx, present);
      const listValues = await limitValues(tx, present);
      const found = await this.#ids.find(tx, lastMonths(present, listValues));
      const visitors = await addVisitors(tx, present, daySalts);
      const counted: Record<Counted, number[][]> = { Hour: [], Day: [], DayValue: [], MonthValue: [] };
      for (const [id, { hours }] of present)
        for (const [hour, { clicks, bots, alreadyCounted }] of hours)
          counted.Hour.push([id, hour, clicks - alreadyCounted, bots]);
      for (const [id, day, one] of listDays(present)) {
        const { clicks, described, bots, alreadyCounted } = one;
        const unique = visitors.get(`${id} ${day}`) ?? 0;
        counted.Day.push([id, day, clicks - alreadyCounted, described, unique, bots]);
        for (const [value, count] of listValues(id, day, one)) {
          const valueId = found.get(value.hash)?.id ?? 0;
          counted.DayValue.push([id, value.kind, day, valueId, count]);
          counted.MonthValue.push([id, value.kind, monthOf(day), valueId, count]);
        }
      }
      await addToBoth(tx, counted, counters);
      return found;
    });
    if (newIds !== null) this.#ids.keep(newIds);
  }
}

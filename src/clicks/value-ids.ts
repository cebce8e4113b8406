import { LRUCache } from 'lru-cache';
import type { Month } from '../db/statistics/calendar.ts';
import { type Value, valueColumns } from '../db/statistics/value.ts';
import type { Statements } from '../engine/db/database.ts';
import { join, name, sql } from '../engine/db/sql.ts';
import { growingTo } from '../engine/tools/growing-cache.ts';

/** Maximum number of ids of values in a process's cache. */
const MAX_CACHED = 50_000;

/** A value's id, and the last month for which it is known to be used: until then it is not deleted. */
interface CachedId {
  readonly id: number;
  readonly month: Month;
}

/** A value, and the last month in which it is used. */
export interface MonthOfValue {
  readonly value: Value;
  readonly month: Month;
}

const columns = ['hash', 'kind', ...valueColumns, 'month'] as const;
const types = Object.fromEntries(
  columns.map((column) => [column, column === 'kind' || column === 'month' ? 'integer' : 'text'] as const),
);

/** The ids of values in the database. */
export class ValueIds {
  readonly #known = new LRUCache<string, CachedId>(growingTo(MAX_CACHED));

  /** The ids of the values, by their hashes; missing values are inserted. Cache the result only after the commit. */
  async find(
    tx: Statements,
    values: ReadonlyMap<string, MonthOfValue>,
  ): Promise<ReadonlyMap<string, CachedId>> {
    const found = new Map<string, CachedId>();
    const missing: [string, MonthOfValue][] = [];
    for (const [hash, one] of values) {
      const known = this.#known.get(hash);
      if (known !== undefined && known.month >= one.month) found.set(hash, known);
      else missing.push([hash, one]);
    }
    if (missing.length === 0) return found;
    // All processes use the same order, to prevent deadlocks.
    missing.sort(([a], [b]) => (a < b ? -1 : 1));
    const rows = missing.map(([hash, { value, month }]) => [
      hash,
      value.kind,
      ...valueColumns.map((column) => value.columns[column] ?? null),
      month,
    ]);
    const listed = join(columns.map(name));
    const given = tx.dialect.table(types, rows);
    // Without the condition, PostgreSQL would use up an id for each value that exists already.
    await tx.execute(sql`
      INSERT INTO "VisitValue" (${listed}) SELECT ${listed} FROM ${given} AS "given"
      WHERE NOT EXISTS (SELECT 1 FROM "VisitValue" WHERE "VisitValue"."hash" = "given"."hash")
      ON CONFLICT ("hash") DO NOTHING`);
    const asked = tx.dialect.table(
      { key: 'text', at: 'integer' },
      missing.map(([hash, { month }]) => [hash, month]),
    );
    await tx.execute(sql`
      UPDATE "VisitValue" SET "month" = "at" FROM ${asked} AS "asked" WHERE "hash" = "key" AND "month" < "at"`);
    const made = await tx.read<CachedId & { hash: string }>(
      sql`SELECT "hash", "id", "month" FROM ${asked} AS "asked" JOIN "VisitValue" ON "hash" = "key"`,
    );
    for (const { hash, id, month } of made) found.set(hash, { id, month });
    return found;
  }

  keep(found: ReadonlyMap<string, CachedId>): void {
    for (const [hash, one] of found) this.#known.set(hash, one);
  }
}

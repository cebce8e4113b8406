import { LRUCache } from 'lru-cache';
import { growingTo } from '../../shared/growing-cache.ts';
import type { Transaction } from '../database.ts';
import { join, name, sql } from '../sql.ts';
import { type Value, valueColumns } from './value.ts';

const MAX_CACHED = 50_000;

/** A value's id, and the last month for which it is known to be used: until then it is not deleted. */
interface CachedId {
  readonly id: number;
  readonly month: number;
}

const columns = ['hash', 'kind', ...valueColumns, 'month'] as const;
const types = Object.fromEntries(
  columns.map((column) => [column, column === 'kind' || column === 'month' ? 'integer' : 'text'] as const),
);

export class ValueIds {
  readonly #known = new LRUCache<string, CachedId>(growingTo(MAX_CACHED));

  /** The ids of the values, by their hashes; missing values are inserted. Cache the result only after the commit. */
  async find(
    tx: Transaction,
    values: ReadonlyMap<string, { value: Value; month: number }>,
  ): Promise<ReadonlyMap<string, CachedId>> {
    const found = new Map<string, CachedId>();
    const missing: [string, { value: Value; month: number }][] = [];
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
    await tx.prisma.$executeRaw(sql`
      INSERT INTO "VisitValue" (${listed}) SELECT ${listed} FROM ${given} AS "given"
      WHERE NOT EXISTS (SELECT 1 FROM "VisitValue" WHERE "VisitValue"."hash" = "given"."hash")
      ON CONFLICT ("hash") DO NOTHING`);
    const asked = tx.dialect.table(
      { key: 'text', at: 'integer' },
      missing.map(([hash, { month }]) => [hash, month]),
    );
    await tx.prisma.$executeRaw(sql`
      UPDATE "VisitValue" SET "month" = "at" FROM ${asked} AS "asked" WHERE "hash" = "key" AND "month" < "at"`);
    const made = await tx.prisma.$queryRaw<
      { hash: string; id: number | bigint; month: number | bigint }[]
    >(sql`
      SELECT "hash", "id", "month" FROM ${asked} AS "asked" JOIN "VisitValue" ON "hash" = "key"`);
    for (const { hash, id, month } of made) found.set(hash, { id: Number(id), month: Number(month) });
    return found;
  }

  keep(found: ReadonlyMap<string, CachedId>): void {
    for (const [hash, one] of found) this.#known.set(hash, one);
  }
}

import type { Dialect } from '../engine/db/dialect.ts';
import { name, raw, type Sql, sql } from '../engine/db/sql.ts';
import type { Data } from './database.ts';

/** The keys of each record that may have a plain key, too. */
const keys = {
  Link: raw(`coalesce("titleKey", '') || ' ' || "urlKey"`),
  Space: raw('"nameKey"'),
  Tag: raw('"nameKey"'),
};
export type WithPlainKey = keyof typeof keys;

/**
 * A condition: a record lacks the plain key that it needs, since an earlier version wrote it. The migration has an
 * index of such records. PostgreSQL expects an equation to match few rows, and so uses the index.
 */
export function lacksPlainKey({ bytesOf }: Dialect, table: WithPlainKey): Sql {
  const bytes = bytesOf(sql`replace(${keys[table]}, '%', '%%')`);
  return sql`"plainKey" IS NULL AND CASE WHEN ${bytes} <> length(${keys[table]}) THEN 1 END = 1`;
}

/** Number of records that a transaction fills, since it locks them, and on SQLite the file. */
const SLICE = 200;

/** Makes the plain keys of some records that lack them, of their keys, and returns whether there may be more. */
export function fillPlainKeys(
  db: Data,
  table: WithPlainKey,
  makePlainKey: (keys: string) => string | null,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const rows = await tx.read<{ id: number; keys: string }>(sql`SELECT "id", ${keys[table]} AS "keys"
      FROM ${name(table)} WHERE ${lacksPlainKey(tx.dialect, table)} ORDER BY "accountId" LIMIT ${SLICE}
      ${tx.dialect.lock('FOR UPDATE SKIP LOCKED')}`);
    if (rows.length === 0) return false;
    const made = rows.map(({ id, keys }) => [id, makePlainKey(keys)]);
    await tx.prisma.$executeRaw(sql`UPDATE ${name(table)} SET "plainKey" = "made"."key"
      FROM ${tx.dialect.table({ key_of: 'integer', key: 'text' }, made)} AS "made" WHERE "id" = "key_of"`);
    return rows.length === SLICE;
  });
}

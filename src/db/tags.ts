import { pauseIfBlocked } from '../shared/time-slices.ts';
import type { Data, Transaction } from './database.ts';
import { changeLinksIn } from './links.ts';
import { join, sql } from './sql.ts';

/** How many links are changed at once: statements block the thread on SQLite. */
const BATCH_SIZE = 1_000;

interface Owner {
  readonly accountId: number;
}

/** Locks those of the tags that the account has, also against new references, and returns their ids. */
export async function lockTags(
  tx: Transaction,
  { accountId }: Owner,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const lock = tx.dialect.lock('FOR UPDATE');
  const found = await tx.read<{ id: number }>(sql`SELECT "id" FROM "Tag"
    WHERE "accountId" = ${accountId} AND "id" IN (${join([...ids])}) ORDER BY "id" ${lock}`);
  return new Set(found.map(({ id }) => id));
}

/** The ids of the account's tags with these case-folded names, by them. */
export async function idsOfTags(
  db: Data,
  accountId: number,
  keys: readonly string[],
): Promise<Map<string, number>> {
  if (keys.length === 0) return new Map();
  const found = await db.read<{ id: number; nameKey: string }>(sql`SELECT "id", "nameKey" FROM "Tag"
    WHERE "accountId" = ${accountId} AND ${db.dialect.isIn(sql`"nameKey"`, 'text', keys)}`);
  return new Map(found.map(({ id, nameKey }) => [nameKey, id]));
}

/**
 * Takes the tags from their links in a transaction, some links at a time, and returns the links' ids.
 * @param into a tag that the links get instead
 */
export async function replaceTags(
  tx: Transaction,
  tagIds: readonly number[],
  into: number | null,
  now: Date,
): Promise<number[]> {
  const changed = new Set<number>();
  for (const tagId of tagIds)
    for (;;) {
      // What was read before is deleted.
      const some = await tx.read<{ linkId: number }>(sql`SELECT "linkId" FROM "LinkTag"
        WHERE "tagId" = ${tagId} ORDER BY "linkId" LIMIT ${BATCH_SIZE}`);
      if (some.length === 0) break;
      const given = some.map(({ linkId }) => linkId);
      // On PostgreSQL, a link may have lost the tag while this waited for the link.
      const has = sql`EXISTS (SELECT 1 FROM "LinkTag" WHERE "linkId" = "Link"."id" AND "tagId" = ${tagId})`;
      const where = sql`${tx.dialect.isIn(sql`"id"`, 'integer', given)} AND ${has}`;
      for (const id of await changeLinksIn(tx, where, now)) changed.add(id);
      const those = sql`FROM "LinkTag" WHERE "tagId" = ${tagId} AND ${tx.dialect.isIn(sql`"linkId"`, 'integer', given)}`;
      if (into !== null)
        await tx.prisma.$executeRaw(sql`INSERT INTO "LinkTag" ("linkId", "tagId")
          SELECT "linkId", CAST(${into} AS INTEGER) ${those} ON CONFLICT DO NOTHING`);
      await tx.prisma.$executeRaw(sql`DELETE ${those}`);
      await pauseIfBlocked();
    }
  return [...changed].sort((a, b) => a - b);
}

import { join, sql } from '../engine/db/sql.ts';
import type { Data, Transaction } from './database.ts';
import { changeLinksIn, idsOfParts } from './links.ts';

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

/** The ids of the next links with any of the tags, ascending. Each tag is read by its index, so that a slice reads few rows. */
export async function linksWithTags(
  db: Data,
  tagIds: readonly number[],
  after: number,
  max: number,
): Promise<number[]> {
  const ofEach = tagIds.map(
    (tagId) => sql`SELECT "linkId" FROM (SELECT "linkId" FROM "LinkTag"
      WHERE "tagId" = ${tagId} AND "linkId" > ${after} ORDER BY "linkId" LIMIT ${max}) AS "tagged"`,
  );
  const found = await db.read<{ linkId: number }>(
    sql`${join(ofEach, ' UNION ')} ORDER BY "linkId" LIMIT ${max}`,
  );
  return found.map(({ linkId }) => linkId);
}

/**
 * Takes the tags from links in a transaction, and returns the ids of those that had any.
 * @param into a tag that the links get instead
 * @param onChange called with the tags of the links that have any, by the links' ids, while they have them
 */
export async function replaceTags(
  tx: Transaction,
  tagIds: readonly number[],
  ids: readonly number[],
  into: number | null,
  now: Date,
  onChange: (tagsBefore: ReadonlyMap<number, readonly number[]>) => Promise<void>,
): Promise<number[]> {
  const isOne = tx.dialect.isIn(sql`"tagId"`, 'integer', [...tagIds]);
  const has = sql`EXISTS (SELECT 1 FROM "LinkTag" WHERE "linkId" = "Link"."id" AND ${isOne})`;
  const changed = await changeLinksIn(tx, ids, has, now);
  if (changed.length === 0) return changed;
  await onChange(await idsOfParts(tx, 'tag', changed));
  const those = sql`FROM "LinkTag" WHERE ${isOne} AND ${tx.dialect.isIn(sql`"linkId"`, 'integer', changed)}`;
  if (into !== null)
    await tx.execute(sql`INSERT INTO "LinkTag" ("linkId", "tagId")
      SELECT DISTINCT "linkId", CAST(${into} AS INTEGER) ${those} ON CONFLICT DO NOTHING`);
  await tx.execute(sql`DELETE ${those}`);
  return changed;
}

/**
 * Gives those links a tag that have fewer than `max`, in a transaction, and returns the tags that they had, by the ids of those that
 * get it.
 */
export async function addTagToLinks(
  tx: Transaction,
  { accountId }: Owner,
  tagId: number,
  ids: readonly number[],
  now: Date,
  max: number,
): Promise<Map<number, number[]>> {
  const hasRoom = sql`(SELECT COUNT(*) FROM "LinkTag" WHERE "linkId" = "Link"."id") < ${max}`;
  const lacks = sql`NOT EXISTS (SELECT 1 FROM "LinkTag" WHERE "linkId" = "Link"."id" AND "tagId" = ${tagId})`;
  const where = sql`"accountId" = ${accountId} AND ${hasRoom} AND ${lacks}`;
  const before = await idsOfParts(tx, 'tag', await changeLinksIn(tx, ids, where, now));
  const given = tx.dialect.table(
    { linkId: 'integer' },
    [...before.keys()].map((id) => [id]),
  );
  if (before.size > 0)
    await tx.execute(sql`INSERT INTO "LinkTag" ("linkId", "tagId")
      SELECT "linkId", CAST(${tagId} AS INTEGER) FROM ${given} AS "given"`);
  return before;
}

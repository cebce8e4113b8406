import { dateText } from '../engine/db/driver.ts';
import { join, name, type Sql, sql } from '../engine/db/sql.ts';
import { readRowsOfEach } from '../engine/lists/list-statements.ts';
import { defaults } from '../generated/defaults.ts';
import type { Link, Prisma } from '../generated/sqlite/client.ts';
import type { Data, Transaction } from './database.ts';
import { type LinkSelect, linkList } from './reading/link-list.ts';

/** A link with what was selected of it, and its id. */
export type SelectedLink = Pick<Link, 'id'>;

/** The account's link with this id, with what is selected of it; null if there is none. */
export async function readLink(
  db: Data,
  { id, accountId }: { readonly id: number; readonly accountId: number },
  select: LinkSelect,
): Promise<SelectedLink | null> {
  const where = [sql`"id" = ${id}`];
  const { list } = linkList({ accountId, where, isSelective: true }, select, db.dialect);
  const [[link] = []] = await readRowsOfEach<SelectedLink>(db, [{ list, window: { limit: 1 } }]);
  return link ?? null;
}

/** A link with its pixels and tags, as they are stored. */
export interface NewLink {
  readonly row: Prisma.LinkUncheckedCreateInput;
  readonly pixelIds: readonly number[];
  readonly tagIds: readonly number[];
}

/** Creates a link in a transaction, and returns its id. */
export async function insertLinkIn(tx: Transaction, { row, pixelIds, tagIds }: NewLink): Promise<number> {
  const { id } = await tx.prisma.link.create({ data: row, select: { id: true } });
  await addPixels(
    tx,
    pixelIds.map((pixelId) => ({ linkId: id, pixelId })),
  );
  await addTags(tx, [{ linkId: id, tagIds }]);
  return id;
}

/** All rows of one statement set the same columns. */
const plain: Readonly<Record<string, unknown>> = defaults.Link;

/**
 * Creates many links in a transaction, and returns their ids, in their order. Prisma's `createMany` takes three times as
 * long and twice the memory.
 */
export async function insertLinksIn(tx: Transaction, links: readonly NewLink[]): Promise<number[]> {
  const columns = [...new Set(links.flatMap(({ row }) => Object.keys(row)))];
  const rows = links.map(({ row }) => {
    const given = new Map<string, unknown>(Object.entries(row));
    return Object.fromEntries(columns.map((one) => [one, given.get(one) ?? plain[one] ?? null]));
  });
  await lockAliases(tx, links);
  const ids = await tx.insertMany('Link', rows);
  const pixels = links.flatMap(({ pixelIds }, index) =>
    [...new Set(pixelIds)].map((pixelId) => ({ linkId: ids[index] ?? 0, pixelId })),
  );
  await addPixels(tx, pixels);
  await addTags(
    tx,
    links.map(({ tagIds }, index) => ({ linkId: ids[index] ?? 0, tagIds })),
  );
  return ids;
}

/** The most links of a statement whose aliases are locked one by one. Locks have little room, in the memory of the server. */
const MAX_LOCKED = 50;

/** Before many links, locks all aliases of the shared domains that they are on. The trigger of links locks those of a few. */
async function lockAliases(tx: Transaction, links: readonly NewLink[]): Promise<void> {
  const { dialect, database } = tx;
  if (links.length <= MAX_LOCKED || !dialect.hasConcurrentWriters) return;
  const ids = [...new Set(links.map(({ row }) => row.domainId))];
  await tx.read(sql`SELECT pg_advisory_xact_lock(hashtextextended(${database.schema}::text || ' aliases ' || "id", 0))::text,
      set_config('linkspace.aliases_' || "id", 'all', true)
    FROM "Domain" WHERE ${dialect.isIn(sql`"id"`, 'integer', ids)} AND "accountId" IS NULL ORDER BY "id"`);
}

interface ImportedClicks {
  readonly linkId: number;
  readonly clicks: number;
  readonly lastClickedAt: Date | null;
}

/** Sets the clicks of imported links, in the transaction that creates them. */
export async function setImportedClicks(tx: Transaction, imported: readonly ImportedClicks[]): Promise<void> {
  if (imported.length === 0) return;
  const rows = imported.map(({ linkId, clicks, lastClickedAt }) => [
    linkId,
    clicks,
    lastClickedAt && dateText(lastClickedAt),
  ]);
  const given = tx.dialect.table({ id: 'integer', count: 'bigint', last: 'timestamp' }, rows);
  await tx.prisma.$executeRaw(sql`UPDATE "LinkCounter" SET "clicks" = "count", "lastClickedAt" = "last"
    FROM ${given} AS "given" WHERE "linkId" = "id"`);
}

async function addPixels(tx: Transaction, data: Prisma.LinkPixelCreateManyInput[]): Promise<void> {
  if (data.length > 0) await tx.prisma.linkPixel.createMany({ data });
}

/** Gives links their tags in a transaction. */
async function addTags(
  tx: Transaction,
  links: readonly { readonly linkId: number; readonly tagIds: readonly number[] }[],
): Promise<void> {
  const rows = links.flatMap(({ linkId, tagIds }) => [...new Set(tagIds)].map((tagId) => [linkId, tagId]));
  if (rows.length === 0) return;
  const given = tx.dialect.table({ linkId: 'integer', tagId: 'integer' }, rows);
  await tx.prisma.$executeRaw(
    sql`INSERT INTO "LinkTag" ("linkId", "tagId") SELECT "linkId", "tagId" FROM ${given} AS "given"`,
  );
}

/** Counts the pixels and tags of the account's links with these ids, by link id. */
export async function partsOfLinks(
  db: Data,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, { pixels: number; tags: number }>> {
  const count = (table: 'LinkPixel' | 'LinkTag') =>
    sql`(SELECT COUNT(*) FROM ${name(table)} WHERE "linkId" = "Link"."id")`;
  const rows = await db.read<{ id: number; pixels: number; tags: number }>(sql`
    SELECT "id", ${count('LinkPixel')} AS "pixels", ${count('LinkTag')} AS "tags" FROM "Link"
    WHERE "accountId" = ${accountId} AND ${db.dialect.isIn(sql`"id"`, 'integer', ids)}`);
  return new Map(rows.map(({ id, pixels, tags }) => [id, { pixels: Number(pixels), tags: Number(tags) }]));
}

/** The columns, pixels and tags that a change sets; pixels and tags only if they change. */
export interface LinkSettings {
  readonly columns: Prisma.LinkUncheckedUpdateManyInput & { readonly updatedAt: Date };
  readonly pixelIds: readonly number[] | undefined;
  readonly tagIds: readonly number[] | undefined;
}

/**
 * Changes a link in a transaction, and returns whether it was changed.
 * @param where its id; with its `updatedAt`, it is not changed if somebody has changed it since it was read
 */
export async function updateLinkIn(
  tx: Transaction,
  where: { readonly id: number; readonly updatedAt?: Date },
  { columns, pixelIds, tagIds }: LinkSettings,
): Promise<boolean> {
  const { id } = where;
  const { count } = await tx.prisma.link.updateMany({ where, data: columns });
  if (count === 0) return false;
  if (pixelIds !== undefined) {
    await tx.prisma.linkPixel.deleteMany({ where: { linkId: id } });
    await addPixels(
      tx,
      pixelIds.map((pixelId) => ({ linkId: id, pixelId })),
    );
  }
  if (tagIds !== undefined) {
    await tx.prisma.linkTag.deleteMany({ where: { linkId: id } });
    await addTags(tx, [{ linkId: id, tagIds }]);
  }
  return true;
}

/** The ids of the pixels or tags of links, by the links' ids, in ascending order. */
export async function idsOfParts(
  db: Data,
  part: 'pixel' | 'tag',
  linkIds: readonly number[],
): Promise<Map<number, number[]>> {
  const ids = new Map<number, number[]>(linkIds.map((id) => [id, []]));
  const [table, column] = part === 'tag' ? ['LinkTag', 'tagId'] : ['LinkPixel', 'pixelId'];
  const found = await db.read<{ linkId: number; id: number }>(sql`
    SELECT "linkId", ${name(column)} AS "id" FROM ${name(table)}
    WHERE ${db.dialect.isIn(sql`"linkId"`, 'integer', linkIds)} ORDER BY "linkId", ${name(column)}`);
  for (const { linkId, id } of found) ids.get(linkId)?.push(id);
  return ids;
}

/** A whole link, as it was. */
export interface WholeLink extends Link {
  readonly clicks: number;
  readonly lastClickedAt: Date | null;
  /** The ids of its pixels and tags, ascending. */
  readonly pixels: readonly number[];
  readonly tags: readonly number[];
}

/** Reads links that are about to be deleted, and locks their counters: no visit is counted any more. */
export async function readForDeletion(tx: Transaction, ids: readonly number[]): Promise<WholeLink[]> {
  const { dialect } = tx;
  const listed = (table: string, column: string) =>
    sql`(SELECT ${dialect.concatenated(
      sql`',' || ${name(column)}`,
    )} FROM ${name(table)} WHERE ${name(table)}."linkId" = "Link"."id")`;
  const rows = await tx.read<
    Link & Pick<WholeLink, 'clicks' | 'lastClickedAt'> & Record<'pixels' | 'tags', string | null>
  >(sql`
    SELECT ${tx.database.columnsOf('Link')}, "LinkCounter"."clicks", "LinkCounter"."lastClickedAt",
      ${listed('LinkPixel', 'pixelId')} AS "pixels", ${listed('LinkTag', 'tagId')} AS "tags"
    FROM "Link" JOIN "LinkCounter" ON "LinkCounter"."linkId" = "Link"."id"
    WHERE ${dialect.isIn(sql`"Link"."id"`, 'integer', ids)} ORDER BY "Link"."id"
    ${dialect.lock('FOR UPDATE OF "LinkCounter"')}`);
  const numbers = (list: string | null) =>
    (list ?? '')
      .split(',')
      .flatMap((id) => (id === '' ? [] : Number(id)))
      .sort((a, b) => a - b);
  return rows.map((row) => ({
    ...row,
    clicks: Number(row.clicks),
    pixels: numbers(row.pixels),
    tags: numbers(row.tags),
  }));
}

/** The first links on the domain, by id, locked for deletion until the transaction ends. */
export function lockLinksOn(
  tx: Transaction,
  domainId: number,
  max: number,
): Promise<Pick<Link, 'id' | 'accountId'>[]> {
  const lock = tx.dialect.lock('FOR UPDATE');
  return tx.read(
    sql`SELECT "id", "accountId" FROM "Link" WHERE "domainId" = ${domainId} ORDER BY "id" LIMIT ${max} ${lock}`,
  );
}

/**
 * Sets columns of links in a transaction, and returns the ids of those that are changed. Each link's time of change becomes later
 * than before, as in `timeOfChange`.
 * @param ids at most `MAX_WRITTEN_LINKS`
 * @param where a condition for the links, which another transaction may have changed meanwhile
 */
export async function changeLinksIn(
  tx: Transaction,
  ids: readonly number[],
  where: Sql,
  now: Date,
  settings: readonly Sql[] = [],
): Promise<number[]> {
  if (ids.length === 0) return [];
  const { greatest, time, oneMillisecondAfter, hasConcurrentWriters } = tx.dialect;
  const those = sql`${tx.dialect.isIn(sql`"id"`, 'integer', ids)} AND ${where}`;
  const later = greatest(time(now), oneMillisecondAfter(sql`"updatedAt"`));
  const set = join([...settings, sql`"updatedAt" = ${later}`]);
  // The update sees the changes of other transactions only if it waits for them here.
  if (hasConcurrentWriters)
    await tx.read(sql`SELECT 1 FROM "Link" WHERE ${those} ORDER BY "id" FOR NO KEY UPDATE`);
  const changed = await tx.read<{ id: number }>(sql`UPDATE "Link" SET ${set} WHERE ${those} RETURNING "id"`);
  return changed.map(({ id }) => id).sort((a, b) => a - b);
}

interface Owner {
  readonly accountId: number;
}

/** The ids of the next links in the account's space, ascending. */
export async function linksInSpace(
  db: Data,
  { accountId }: Owner,
  spaceId: number,
  after: number,
  max: number,
): Promise<number[]> {
  const found = await db.read<{ id: number }>(sql`SELECT "id" FROM "Link"
    WHERE "accountId" = ${accountId} AND "spaceId" = ${spaceId} AND "id" > ${after} ORDER BY "id" LIMIT ${max}`);
  return found.map(({ id }) => id);
}

/** Takes links out of the account's space in a transaction, and returns the ids of those that were in it. */
export function takeLinksFromSpace(
  tx: Transaction,
  { accountId }: Owner,
  spaceId: number,
  ids: readonly number[],
  now: Date,
): Promise<number[]> {
  const where = sql`"spaceId" = ${spaceId} AND "accountId" = ${accountId}`;
  return changeLinksIn(tx, ids, where, now, [sql`"spaceId" = NULL`]);
}

/** The ids of the next links with the pixel, ascending. */
export async function linksWithPixel(
  db: Data,
  pixelId: number,
  after: number,
  max: number,
): Promise<number[]> {
  const found = await db.read<{ linkId: number }>(sql`SELECT "linkId" FROM "LinkPixel"
    WHERE "pixelId" = ${pixelId} AND "linkId" > ${after} ORDER BY "linkId" LIMIT ${max}`);
  return found.map(({ linkId }) => linkId);
}

/** Takes the pixel from links in a transaction, and returns the pixels that they had, by the ids of those that had it. */
export async function takePixelFromLinks(
  tx: Transaction,
  pixelId: number,
  ids: readonly number[],
  now: Date,
): Promise<Map<number, number[]>> {
  const has = sql`EXISTS (SELECT 1 FROM "LinkPixel" WHERE "linkId" = "Link"."id" AND "pixelId" = ${pixelId})`;
  const changed = await idsOfParts(tx, 'pixel', await changeLinksIn(tx, ids, has, now));
  await tx.prisma.linkPixel.deleteMany({ where: { pixelId, linkId: { in: [...ids] } } });
  return changed;
}

/** Puts those links into a space that are in none, in a transaction, and returns their ids. */
export function putLinksIntoSpace(
  tx: Transaction,
  { accountId }: Owner,
  spaceId: number,
  ids: readonly number[],
  now: Date,
): Promise<number[]> {
  const where = sql`"spaceId" IS NULL AND "accountId" = ${accountId}`;
  return changeLinksIn(tx, ids, where, now, [sql`"spaceId" = ${spaceId}`]);
}

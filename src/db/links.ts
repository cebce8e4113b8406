import { defaults } from '../generated/defaults.ts';
import type { Link, Prisma } from '../generated/sqlite/client.ts';
import { pauseIfBlocked } from '../shared/time-slices.ts';
import type { Data, Transaction } from './database.ts';
import { dateText } from './driver.ts';
import { readRowsOfEach } from './reading/keyset.ts';
import { type LinkSelect, linkList } from './reading/link-list.ts';
import { join, type Sql, sql } from './sql.ts';

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

/** The links on the domain, by id, locked for deletion until the transaction ends. */
export function lockLinksOn(tx: Transaction, domainId: number): Promise<Pick<Link, 'id' | 'accountId'>[]> {
  const lock = tx.dialect.lock('FOR UPDATE');
  return tx.read(
    sql`SELECT "id", "accountId" FROM "Link" WHERE "domainId" = ${domainId} ORDER BY "id" ${lock}`,
  );
}

/** How many links one statement changes, since it blocks the thread on SQLite. */
const CHANGE_BATCH_SIZE = 1_000;

/**
 * Sets columns of many links in a transaction, and returns the links' ids. Each link's time of change becomes later than
 * before, as in `timeOfChange`.
 */
export async function changeLinksIn(
  tx: Transaction,
  where: Sql,
  now: Date,
  settings: readonly Sql[] = [],
): Promise<number[]> {
  const { greatest, time, oneMillisecondAfter, hasConcurrentWriters } = tx.dialect;
  const later = greatest(time(now), oneMillisecondAfter(sql`"updatedAt"`));
  const set = join([...settings, sql`"updatedAt" = ${later}`]);
  // The update sees the changes of other transactions only if it waits for them here.
  if (hasConcurrentWriters)
    await tx.read(sql`SELECT 1 FROM "Link" WHERE ${where} ORDER BY "id" FOR NO KEY UPDATE`);
  const ids: number[] = [];
  for (let last = 0; ; last = ids.at(-1) ?? 0) {
    const next = sql`SELECT "id" FROM "Link" WHERE ${where} AND "id" > ${last} ORDER BY "id" LIMIT ${CHANGE_BATCH_SIZE}`;
    const changed = await tx.read<{ id: number }>(
      sql`UPDATE "Link" SET ${set} WHERE "id" IN (${next}) RETURNING "id"`,
    );
    ids.push(...changed.map(({ id }) => id).sort((a, b) => a - b));
    if (changed.length < CHANGE_BATCH_SIZE) return ids;
    await pauseIfBlocked();
  }
}

interface Owner {
  readonly accountId: number;
}

/** Takes the account's links out of the space in a transaction, and returns their ids. */
export function takeLinksFromSpace(
  tx: Transaction,
  { accountId }: Owner,
  spaceId: number,
  now: Date,
): Promise<number[]> {
  const where = sql`"spaceId" = ${spaceId} AND "accountId" = ${accountId}`;
  return changeLinksIn(tx, where, now, [sql`"spaceId" = NULL`]);
}

/** Gives the account's links with the pixel a new time of change in a transaction, and returns their ids. */
export function touchLinksWithPixel(
  tx: Transaction,
  { accountId }: Owner,
  pixelId: number,
  now: Date,
): Promise<number[]> {
  const ids = sql`SELECT "linkId" FROM "LinkPixel" WHERE "pixelId" = ${pixelId}`;
  return changeLinksIn(tx, sql`"accountId" = ${accountId} AND "id" IN (${ids})`, now);
}

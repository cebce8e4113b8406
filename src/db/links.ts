import type { Link, Prisma } from '../generated/sqlite/client.ts';
import { announceOwnChanges, changingOne, type NewChange, txNumber } from './change/log.ts';
import { type Db, isSqlite, type Tx } from './connection/db.ts';
import { execute, readRows, type Steps } from './connection/direct.ts';
import { retryConflicts } from './connection/retry.ts';
import { empty, join, name, type Sql, sql } from './connection/sql.ts';
import { isEnclosed } from './connection/transaction.ts';
import { insertMany } from './many-rows.ts';
import { columnsOf } from './reading/columns.ts';
import { type WholeLink, wholeLinkJoins } from './reading/link-rows.ts';

/** A link and its pixels, as they are stored. */
export interface NewLink {
  readonly row: Prisma.LinkUncheckedCreateInput;
  readonly pixelIds: readonly number[];
}

function insertOf(row: Prisma.LinkUncheckedCreateInput, returned: Sql) {
  const columns = Object.entries(row).filter(([, value]) => value !== undefined);
  return sql`INSERT INTO "Link" (${join(columns.map(([column]) => name(column)))})
    VALUES (${join(columns.map(([, value]) => value))}) RETURNING ${returned}`;
}

/**
 * The account's link with this id, as it is stored; null if there is none.
 * @param locked whether to lock the row until the transaction ends; on SQLite, a transaction locks everything from its beginning
 */
export async function readStoredLink(
  db: Db | Tx,
  { id, accountId }: { readonly id: number; readonly accountId: number },
  { locked = false } = {},
): Promise<Link | null> {
  const lock = locked && !isSqlite(db) ? sql`FOR NO KEY UPDATE` : empty;
  const [link] = await readRows<Link>(
    db,
    sql`SELECT ${columnsOf.Link} FROM "Link" WHERE "id" = ${id} AND "accountId" = ${accountId} ${lock}`,
  );
  return link ?? null;
}

/** The links on the domain, by id, locked for deletion until the transaction ends. */
export function lockLinksOn(tx: Tx, domainId: number): Promise<Pick<Link, 'id' | 'accountId'>[]> {
  const lock = isSqlite(tx) ? empty : sql`FOR UPDATE`;
  return readRows(
    tx,
    sql`SELECT "id", "accountId" FROM "Link" WHERE "domainId" = ${domainId} ORDER BY "id" ${lock}`,
  );
}

/** The ids of the link's pixels. */
export async function readPixelIds(db: Db | Tx, linkId: number): Promise<number[]> {
  const rows = await readRows<{ pixelId: number }>(
    db,
    sql`SELECT "pixelId" FROM "LinkPixel" WHERE "linkId" = ${linkId}`,
  );
  return rows.map(({ pixelId }) => pixelId);
}

/** A moment on SQLite as Prisma writes it, whoever wrote it. */
function momentText(moment: Sql): Sql {
  return sql`strftime('%Y-%m-%dT%H:%M:%f+00:00', ${moment})`;
}

/**
 * Sets columns of many links in a transaction, and returns the links' ids. Each link's time of change becomes later than before, as
 * in `timeOfChange`.
 */
export async function changeLinksIn(
  tx: Tx,
  where: Sql,
  now: Date,
  settings: readonly Sql[] = [],
): Promise<number[]> {
  const later = isSqlite(tx)
    ? sql`MAX(${now}, ${momentText(sql`"updatedAt", '+0.001 seconds'`)})`
    : sql`GREATEST(${now}::timestamp, "updatedAt" + INTERVAL '1 millisecond')`;
  // The update sees only then what others, for which it waits here, have changed.
  if (!isSqlite(tx))
    await readRows(tx, sql`SELECT 1 FROM "Link" WHERE ${where} ORDER BY "id" FOR NO KEY UPDATE`);
  const changed = await readRows<{ id: number }>(
    tx,
    sql`UPDATE "Link" SET ${join([...settings, sql`"updatedAt" = ${later}`])} WHERE ${where} RETURNING "id"`,
  );
  return changed.map(({ id }) => id);
}

function firing(db: Db | Tx, linkId: number, pixelIds: readonly number[]): Sql {
  const rows = pixelIds.map((pixelId) => ({ linkId, pixelId }));
  return sql`${insertMany(db, 'LinkPixel', rows)} RETURNING "linkId"`;
}

function shownLink(db: Db | Tx, id: number): Sql {
  const { columns, tables } = wholeLinkJoins(isSqlite(db));
  return sql`SELECT "page".*, ${columns} FROM (SELECT ${columnsOf.Link} FROM "Link" WHERE "id" = ${id}) AS "page" ${tables}`;
}

/** Any account's link with this id; null if there is none. */
export async function readShownLink(db: Db | Tx, id: number): Promise<WholeLink | null> {
  const [link] = await readRows<WholeLink>(db, shownLink(db, id));
  return link ?? null;
}

/** Steps that end with the link that they have written. */
function* written(db: Db | Tx, id: number): Steps<WholeLink> {
  const [link] = yield shownLink(db, id);
  return link as unknown as WholeLink; // It is in the same transaction.
}

function* insertion(db: Db | Tx, { row, pixelIds }: NewLink): Steps<WholeLink> {
  const [made] = yield insertOf(row, sql`"id"`);
  const id = Number(made?.id);
  if (pixelIds.length > 0) yield firing(db, id, pixelIds);
  return yield* written(db, id);
}

/** Inserts a link in a transaction. */
export async function insertLinkIn(tx: Tx, link: NewLink): Promise<WholeLink> {
  return execute(tx, insertion(tx, link));
}

/** The defaults of columns that cannot be null, as in prisma/schema.prisma: all rows of one statement set the same columns. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  disabled: false,
  privacy: 'PUBLIC',
  targetType: 'NONE',
  countries: '[]',
  platforms: '[]',
  languages: '[]',
  rotation: '[]',
};

/** Creates many links in a transaction, in their order, and returns their ids. */
export async function insertLinksIn(tx: Tx, links: readonly NewLink[]): Promise<number[]> {
  const columns = [...new Set(links.flatMap(({ row }) => Object.keys(row)))];
  const rows = links.map(({ row }) => {
    const given = new Map<string, unknown>(Object.entries(row));
    return Object.fromEntries(columns.map((one) => [one, given.get(one) ?? DEFAULTS[one] ?? null]));
  });
  const made = await readRows<{ id: number }>(tx, sql`${insertMany(tx, 'Link', rows)} RETURNING "id"`);
  const ids = made.map(({ id }) => Number(id));
  const firings = links.flatMap(({ pixelIds }, index) =>
    [...new Set(pixelIds)].map((pixelId) => ({ linkId: ids[index], pixelId })),
  );
  if (firings.length > 0) await readRows(tx, sql`${insertMany(tx, 'LinkPixel', firings)} RETURNING "linkId"`);
  return ids;
}

/** What a statement returns for `writeOnPostgresql`. */
const RETURNED = columnsOf.Link;

/**
 * Executes a statement that returns `RETURNED` of a link, if it writes one, and records the change. On PostgreSQL this is one
 * statement, which is a transaction of its own: the round trips of five would take most of the time of the request. It also reads
 * what is shown of the link, which would be another one.
 * @param pixelIds the link's new pixels, if they change
 * @param pixels what is done with them
 * @returns null if nothing was written
 */
async function writeOnPostgresql(
  db: Db,
  write: Sql,
  pixelIds: readonly number[] | undefined,
  pixels: readonly Sql[],
  change: Omit<NewChange, 'recordId'>,
): Promise<WholeLink | null> {
  const { accountId, at, keyId, action, kind, fields } = change;
  const parts = [
    sql`"page" AS (${write})`,
    ...pixels,
    sql`"logged" AS (
      INSERT INTO "Change" ("tx", "accountId", "at", "keyId", "action", "kind", "recordId", "fields")
      SELECT ${txNumber(db)}, ${accountId}::integer, ${at}::timestamp, ${keyId}::integer, ${action}::text, ${kind}::text, "id", ${JSON.stringify(fields)}::text
      FROM "page" RETURNING "id")`,
  ];
  const { columns, tables } = wholeLinkJoins(false, pixelIds);
  const statement = sql`WITH ${join(parts)}
    SELECT "page".*, "logged"."id" AS "changeId", ${columns} FROM "logged" CROSS JOIN "page" ${tables}`;
  const [row] = await retryConflicts(() => readRows<WholeLink & { changeId: number }>(db, statement));
  if (row === undefined) return null;
  const { changeId, ...link } = row;
  announceOwnChanges(db, [{ ...change, recordId: link.id, id: changeId }]);
  // The statement does not see the counters that a trigger inserts after it.
  return {
    ...link,
    counter: { clicks: link.counter?.clicks ?? 0, lastClickedAt: link.counter?.lastClickedAt ?? null },
  };
}

/** Adds the pixels to the link that the statement writes, except those that it has. */
function fired(pixelIds: readonly number[]): Sql[] {
  if (pixelIds.length === 0) return [];
  return [
    sql`"fired" AS (INSERT INTO "LinkPixel" ("linkId", "pixelId") SELECT "page"."id", "pixel"."id"
      FROM "page", (VALUES ${join(pixelIds.map((id) => sql`(${id}::integer)`))}) AS "pixel" ("id") ON CONFLICT DO NOTHING)`,
  ];
}

/** Removes all other pixels from it. */
function unfired(pixelIds: readonly number[]): Sql {
  const others = pixelIds.length > 0 ? sql`AND "pixelId" NOT IN (${join([...pixelIds])})` : empty;
  return sql`"unfired" AS (DELETE FROM "LinkPixel" USING "page" WHERE "linkId" = "page"."id" ${others})`;
}

/** Inserts a link and its change. */
export async function insertLink(
  db: Db,
  link: NewLink,
  change: Omit<NewChange, 'recordId'>,
): Promise<WholeLink> {
  const inserted =
    isSqlite(db) || isEnclosed(db)
      ? await changingOne(db, change, (within) => insertion(within, link))
      : await writeOnPostgresql(
          db,
          insertOf(link.row, RETURNED),
          link.pixelIds,
          fired(link.pixelIds),
          change,
        );
  if (inserted === null) throw new Error('the insertion returned no link');
  return inserted;
}

/** The columns and the pixels that a change sets; pixels only if they change. */
export interface LinkSettings {
  readonly columns: Prisma.LinkUncheckedUpdateInput & { readonly updatedAt: Date };
  readonly pixelIds: readonly number[] | undefined;
}

function updateOf(
  linkId: number,
  { columns }: LinkSettings,
  { condition = empty, returned = sql`"id"` } = {},
): Sql {
  const settings = Object.entries(columns).map(([column, value]) => sql`${name(column)} = ${value}`);
  return sql`UPDATE "Link" SET ${join(settings)} WHERE "id" = ${linkId} ${condition} RETURNING ${returned}`;
}

/** Executes the update, and replaces the pixels. Returns null if the update changed nothing. */
function* changeOf(
  db: Db | Tx,
  linkId: number,
  update: Sql,
  { pixelIds }: LinkSettings,
): Steps<WholeLink | null> {
  const [changed] = yield update;
  if (changed === undefined) return null;
  if (pixelIds !== undefined) {
    yield sql`DELETE FROM "LinkPixel" WHERE "linkId" = ${linkId} RETURNING "linkId"`;
    if (pixelIds.length > 0) yield firing(db, linkId, pixelIds);
  }
  return yield* written(db, linkId);
}

/** Changes a link in a transaction; null if there is none with this id. */
export async function updateLinkIn(
  tx: Tx,
  linkId: number,
  settings: LinkSettings,
): Promise<WholeLink | null> {
  return execute(tx, changeOf(tx, linkId, updateOf(linkId, settings), settings));
}

/**
 * Changes a link and records the change, unless somebody else has changed the link since it was read: each change gives a link a
 * new time. Within an enclosing transaction it changes nothing: the locks of a failed attempt would be kept.
 * @returns null if the link was not changed
 */
export async function updateLinkAsRead(
  db: Db,
  read: Pick<Link, 'id' | 'updatedAt'>,
  settings: LinkSettings,
  change: Omit<NewChange, 'recordId'>,
): Promise<WholeLink | null> {
  if (isEnclosed(db)) return null;
  if (isSqlite(db)) {
    const condition = sql`AND ${momentText(sql`"updatedAt"`)} = ${read.updatedAt}`;
    const update = updateOf(read.id, settings, { condition });
    return changingOne(db, change, (within) => changeOf(within, read.id, update, settings));
  }
  const condition = sql`AND "updatedAt" = ${read.updatedAt}`;
  const update = updateOf(read.id, settings, { condition, returned: RETURNED });
  const { pixelIds } = settings;
  const pixels = pixelIds === undefined ? [] : [unfired(pixelIds), ...fired(pixelIds)];
  return writeOnPostgresql(db, update, pixelIds, pixels, change);
}

import { type Link, Prisma } from '../generated/sqlite/client.ts';
import { announceOwnChanges, changing, type NewChange, txNumber } from './change/log.ts';
import { type Db, isSqlite } from './connection/client.ts';
import { readRows } from './connection/direct.ts';
import { retryConflicts } from './connection/retry.ts';
import { clientOf, type Tx } from './connection/transaction.ts';
import { insertMany } from './many-rows.ts';
import { columnsOf } from './reading/columns.ts';
import { join, name, type Sql, sql } from './reading/list.ts';

/** A link and its pixels, as they are stored. */
export interface NewLink {
  readonly row: Prisma.LinkUncheckedCreateInput;
  readonly pixelIds: readonly number[];
}

function insertOf(row: Prisma.LinkUncheckedCreateInput) {
  const columns = Object.entries(row).filter(([, value]) => value !== undefined);
  return sql`INSERT INTO "Link" (${join(columns.map(([column]) => name(column)))})
    VALUES (${join(columns.map(([, value]) => value))}) RETURNING "id"`;
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
  const lock = locked && !isSqlite(db) ? sql`FOR NO KEY UPDATE` : Prisma.empty;
  const [link] = await readRows<Link>(
    db,
    sql`SELECT ${columnsOf.Link} FROM "Link" WHERE "id" = ${id} AND "accountId" = ${accountId} ${lock}`,
  );
  return link ?? null;
}

/** Sets columns of a link in a transaction, and its pixels if they are given. */
export async function updateLinkIn(
  tx: Tx,
  linkId: number,
  columns: Prisma.LinkUncheckedUpdateInput,
  pixelIds?: readonly number[],
): Promise<void> {
  const settings = Object.entries(columns).map(([column, value]) => sql`${name(column)} = ${value}`);
  await readRows(tx, sql`UPDATE "Link" SET ${join(settings)} WHERE "id" = ${linkId} RETURNING "id"`);
  if (pixelIds === undefined) return;
  await tx.linkPixel.deleteMany({ where: { linkId } });
  await tx.linkPixel.createMany({ data: pixelIds.map((pixelId) => ({ linkId, pixelId })) });
}

/** Sets columns of many links in a transaction. Each link's time of change becomes later than before, as in `timeOfChange`. */
export async function changeLinksIn(
  tx: Tx,
  where: Sql,
  now: Date,
  settings: readonly Sql[] = [],
): Promise<void> {
  const later = isSqlite(tx)
    ? sql`MAX(${now}, strftime('%Y-%m-%dT%H:%M:%f+00:00', "updatedAt", '+0.001 seconds'))`
    : sql`GREATEST(${now}::timestamp, "updatedAt" + INTERVAL '1 millisecond')`;
  await tx.$executeRaw(
    sql`UPDATE "Link" SET ${join([...settings, sql`"updatedAt" = ${later}`])} WHERE ${where}`,
  );
}

/** Inserts a link in a transaction, and returns its id. */
export async function insertLinkIn(tx: Tx, { row, pixelIds }: NewLink): Promise<number> {
  const [made] = await readRows<{ id: number }>(tx, insertOf(row));
  const id = Number(made?.id);
  if (pixelIds.length > 0)
    await tx.linkPixel.createMany({ data: pixelIds.map((pixelId) => ({ linkId: id, pixelId })) });
  return id;
}

/** The defaults of columns that cannot be null, as in prisma/schema.prisma: all rows of one statement set the same columns. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  ...{ disabled: false, privacy: 'PUBLIC', targetType: 'NONE' },
  ...{ countries: '[]', platforms: '[]', languages: '[]', rotation: '[]' },
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
  const fired = links.flatMap(({ pixelIds }, index) =>
    [...new Set(pixelIds)].map((pixelId) => ({ linkId: ids[index], pixelId })),
  );
  if (fired.length > 0) await readRows(tx, sql`${insertMany(tx, 'LinkPixel', fired)} RETURNING "linkId"`);
  return ids;
}

/**
 * Inserts a link and its change, and returns its id. On PostgreSQL this is one statement, which is a transaction of its own:
 * the round trips of five statements would take most of the time of the request.
 */
export async function insertLink(
  db: Db,
  { row, pixelIds }: NewLink,
  change: Omit<NewChange, 'recordId'>,
): Promise<number> {
  const { accountId, at, keyId, action, kind, fields } = change;
  if (isSqlite(db) || clientOf(db) !== db)
    return changing(db, async (tx, record) => {
      const id = await insertLinkIn(tx, { row, pixelIds });
      await record([{ ...change, recordId: id }]);
      return id;
    });
  const pixels =
    pixelIds.length > 0
      ? [
          sql`"pixels" AS (INSERT INTO "LinkPixel" ("linkId", "pixelId")
            SELECT "made"."id", "pixel"."id" FROM "made", (VALUES ${join(pixelIds.map((id) => sql`(${id}::integer)`))}) AS "pixel" ("id"))`,
        ]
      : [];
  const parts = [
    sql`"made" AS (${insertOf(row)})`,
    ...pixels,
    sql`"logged" AS (
      INSERT INTO "Change" ("tx", "accountId", "at", "keyId", "action", "kind", "recordId", "fields")
      SELECT ${txNumber(db)}, ${accountId}::integer, ${at}::timestamp, ${keyId}::integer, ${action}::text, ${kind}::text, "id", ${JSON.stringify(fields)}::text
      FROM "made" RETURNING "id")`,
  ];
  const statement = sql`WITH ${join(parts)} SELECT "made"."id", "logged"."id" AS "changeId" FROM "made", "logged"`;
  const [made] = await retryConflicts(() => readRows<{ id: number; changeId: number }>(db, statement));
  const { id = 0, changeId = 0 } = made ?? {};
  announceOwnChanges(db, [{ ...change, recordId: id, id: changeId }]);
  return id;
}

import { type Change, Prisma } from '../../generated/sqlite/client.ts';
import { type Db, isSqlite } from '../connection/client.ts';
import { readRows } from '../connection/direct.ts';
import { clientOf, type Tx, transaction, whenCommitted } from '../connection/transaction.ts';
import { insertMany } from '../insert-many.ts';
import { columnsOf } from '../reading/columns.ts';
import { join, type Sql, sql } from '../reading/list.ts';

/** A change that is yet to be recorded. `fields` are names of the schema. */
export type NewChange = Pick<Change, 'accountId' | 'keyId' | 'at' | 'action' | 'kind' | 'recordId'> & {
  readonly fields: readonly string[];
};

/** A change as the log has it, with its place: they are read in the order of `tx`, then `id`. */
export type LoggedChange = Omit<Change, 'tx'> & { readonly tx: number };

/**
 * Transactions commit in another order than the one in which they took the ids of their rows, so that who goes on after the
 * largest id misses rows. They are read in the order of the transactions' own numbers instead, and on PostgreSQL only as far
 * as all of those have ended: nothing can come before what was read. SQLite has one writer, and no such gap.
 *
 * The numbers begin anew where a database is restored elsewhere, or copied: the era, which is raised then, comes before them.
 */
const ERA_BITS = Prisma.raw('40');
const era = sql`(SELECT "number" FROM "Revision" WHERE "topic" = 'changes')`;
const sqliteEra = sql`(${era} << ${ERA_BITS})`;
const postgresqlEra = sql`(${era}::bigint << ${ERA_BITS})`;

/** What changes meet that nothing can come before any more. */
export function isSettled(db: Db): Sql {
  if (isSqlite(db)) return sql`1 = 1`;
  return sql`"tx" < ${postgresqlEra} + pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
}

/** How many changes one statement records. */
const TOGETHER = 1_000;

/** The value of "tx" in what a transaction records. */
export function txNumber(db: Db | Tx): Sql {
  return isSqlite(db) ? sqliteEra : sql`${postgresqlEra} + pg_current_xact_id()::text::bigint`;
}

type Listener = (changes: readonly (NewChange & { readonly id: number })[]) => void;
const listeners = new WeakMap<Db, Set<Listener>>();

/** Hears of the changes that this process made through `db`, when they are committed. Returns what ends that. */
export function onOwnChanges(db: Db, listener: Listener): () => void {
  const known = listeners.get(db) ?? new Set();
  listeners.set(db, known.add(listener));
  return () => known.delete(listener);
}

/** Tells this process of changes that it has committed. */
export function tellOwn(db: Db, changes: Parameters<Listener>[0]): void {
  for (const listener of listeners.get(clientOf(db)) ?? []) listener(changes);
}

/** One transaction, in which what `record` is given is recorded beside what is changed. */
export async function changing<T>(
  db: Db,
  work: (tx: Tx, record: (changes: readonly NewChange[]) => Promise<void>) => Promise<T>,
): Promise<T> {
  return transaction(db, async (tx) => {
    const recorded: (NewChange & { id: number })[] = [];
    whenCommitted(tx, () => {
      if (recorded.length > 0) tellOwn(db, recorded);
    });
    return work(tx, async (changes) => {
      for (let from = 0; from < changes.length; from += TOGETHER)
        recorded.push(...(await insert(tx, changes.slice(from, from + TOGETHER))));
    });
  });
}

async function insert(tx: Tx, changes: readonly NewChange[]) {
  const rows = changes.map((change) => ({ ...change, fields: JSON.stringify(change.fields) }));
  const statement = insertMany(tx, 'Change', rows, { tx: txNumber(tx) });
  const ids = await readRows<{ id: number }>(tx, sql`${statement} RETURNING "id"`);
  return changes.map((change, index) => ({ ...change, id: Number(ids[index]?.id) }));
}

/** Begins another era where the log has numbers that this database has not given yet. To be called before anything is changed. */
export async function settleEra(db: Db): Promise<void> {
  const next = isSqlite(db)
    ? sql`${sqliteEra} + 1`
    : sql`${postgresqlEra} + pg_snapshot_xmax(pg_current_snapshot())::text::bigint`;
  await db.$executeRaw(sql`
    UPDATE "Revision" SET "number" = (SELECT (MAX("tx") >> ${ERA_BITS}) + 1 FROM "Change")
    WHERE "topic" = 'changes' AND (SELECT MAX("tx") FROM "Change") >= ${next}`);
}

/** A place in the log. */
export interface Place {
  readonly tx: number;
  readonly id: number;
}

/** Which transactions had ended at a moment: all before `settled`, and of those up to `next` all that are not in `open`. */
export interface Seen {
  readonly settled: number;
  readonly open: readonly number[];
  readonly next: number;
  /** The largest id; of SQLite, which has no transactions side by side. */
  readonly lastId: number;
}

export async function seenNow(db: Db): Promise<Seen> {
  if (isSqlite(db)) {
    const [row] = await readRows<{ era: number; lastId: number }>(
      db,
      sql`SELECT ${sqliteEra} AS "era", (SELECT COALESCE(MAX("id"), 0) FROM "Change") AS "lastId"`,
    );
    const tx = Number(row?.era ?? 0);
    return { settled: tx + 1, open: [], next: tx, lastId: Number(row?.lastId ?? 0) };
  }
  const [row] = await readRows<{ era: number; xmin: number; xmax: number; xip: string }>(
    db,
    sql`SELECT ${postgresqlEra} AS "era", pg_snapshot_xmin("now")::text::bigint AS "xmin",
      pg_snapshot_xmax("now")::text::bigint AS "xmax",
      (SELECT COALESCE(string_agg("one"::text, ','), '') FROM pg_snapshot_xip("now") AS "one") AS "xip"
      FROM (SELECT pg_current_snapshot() AS "now") AS "snapshot"`,
  );
  const { era = 0, xmin = 0, xmax = 0, xip = '' } = row ?? {};
  const base = Number(era);
  const open = xip === '' ? [] : xip.split(',').map((one) => base + Number(one));
  return { settled: base + Number(xmin), open, next: base + Number(xmax), lastId: 0 };
}

/** Where the log ended: nothing that is settled later comes before it. */
export function placeOf({ settled, next, lastId }: Seen): Place {
  return lastId > 0 ? { tx: next, id: lastId } : { tx: Math.min(settled, next), id: 0 };
}

/** How many changes are read by one statement. */
const READ_TOGETHER = 200;

function logged(row: Change): LoggedChange {
  return { ...row, tx: Number(row.tx) };
}

/** What was committed since then, in no order, and maybe some that was just before. */
export async function* newSince(db: Db, { open, next, lastId }: Seen): AsyncGenerator<LoggedChange> {
  const opened = open.length > 0 ? sql`"tx" IN (${join([...open])}) OR` : Prisma.empty;
  const isNew = isSqlite(db) ? sql`"id" > ${lastId}` : sql`(${opened} "tx" >= ${next})`;
  let from: Sql = Prisma.empty;
  for (;;) {
    const rows = await readRows<Change>(
      db,
      sql`SELECT ${columnsOf.Change} FROM "Change" WHERE ${isNew} ${from} ORDER BY "tx", "id" LIMIT ${READ_TOGETHER}`,
    );
    yield* rows.map(logged);
    const last = rows.at(-1);
    if (last === undefined || rows.length < READ_TOGETHER) return;
    from = sql`AND ("tx", "id") > (${Number(last.tx)}, ${last.id})`;
  }
}

/** The next changes after a place that were settled then, in order. */
export async function settledAfter(db: Db, { tx, id }: Place, { settled }: Seen): Promise<LoggedChange[]> {
  const rows = await readRows<Change>(
    db,
    sql`SELECT ${columnsOf.Change} FROM "Change" WHERE ("tx", "id") > (${tx}, ${id}) AND "tx" < ${settled}
      ORDER BY "tx", "id" LIMIT ${READ_TOGETHER}`,
  );
  return rows.map(logged);
}

/** The account's changes with one of these ids, of which there is at least one. */
export async function changesWithIds(
  db: Db,
  accountId: number,
  ids: readonly number[],
): Promise<LoggedChange[]> {
  const rows = await readRows<Change>(
    db,
    sql`SELECT ${columnsOf.Change} FROM "Change" WHERE "id" IN (${join([...ids])}) AND "accountId" = ${accountId}`,
  );
  return rows.map(logged);
}

/** How many old changes are deleted at once. */
const DELETED_TOGETHER = 1_000;

/**
 * Deletes changes from before a moment, the oldest first, but for those that webhooks are still to be told of; returns whether
 * there may be more.
 */
export async function deleteOldChanges(db: Db, before: Date): Promise<boolean> {
  const deleted = await db.$executeRaw`
    DELETE FROM "Change" WHERE "at" < ${before} AND "id" IN (SELECT "id" FROM "Change" ORDER BY "id" LIMIT ${DELETED_TOGETHER})
    AND NOT EXISTS (SELECT 1 FROM "LogReader" AS "reader"
      WHERE ("Change"."tx", "Change"."id") > ("reader"."tx", "reader"."changeId") AND EXISTS (SELECT 1 FROM "Webhook"))`;
  return deleted === DELETED_TOGETHER;
}

import type { Change, Revision } from '../../generated/sqlite/client.ts';
import { type Db, isSqlite, type Tx } from '../connection/db.ts';
import { readRows } from '../connection/direct.ts';
import { empty, join, raw, type Sql, sql } from '../connection/sql.ts';
import { clientOf, transaction, whenCommitted } from '../connection/transaction.ts';
import { insertMany } from '../many-rows.ts';
import { columnsOf } from '../reading/columns.ts';

/** A change that is not recorded yet. `fields` are names of the schema. */
export type NewChange = Pick<Change, 'accountId' | 'keyId' | 'at' | 'action' | 'kind' | 'recordId'> & {
  readonly fields: readonly string[];
  /** The events that a webhook gets from here on, in their stored form. */
  readonly webhookEvents?: string | undefined;
};

/** A recorded change, with its place in the log: the order is `tx`, then `id`. */
export type LoggedChange = Omit<Change, 'tx'> & { readonly tx: number };

/**
 * Transactions do not commit in the order of their rows' ids, so a reader that continues after the largest id misses rows.
 * Rows are read in the order of transaction numbers instead, and on PostgreSQL only up to the oldest transaction that is
 * still open: no later row can come before rows that were read. SQLite has one writer, and does not have this problem.
 *
 * These numbers start again when a database is restored on another server, or copied: the era, which is raised then, comes
 * before them.
 */
const ERA_BITS = raw('40');
const era = sql`(SELECT "number" FROM "Revision" WHERE "topic" = 'changes')`;
const sqliteEra = sql`(${era} << ${ERA_BITS})`;
const postgresqlEra = sql`(${era}::bigint << ${ERA_BITS})`;

/** The condition of changes whose order is final. */
export function isSettled(db: Db): Sql {
  if (isSqlite(db)) return sql`1 = 1`;
  return sql`"tx" < ${postgresqlEra} + pg_snapshot_xmin(pg_current_snapshot())::text::bigint`;
}

/** How many changes one statement records. */
const BATCH_SIZE = 1_000;

/** The value of "tx" for changes that a transaction records. */
function txNumber(db: Db | Tx): Sql {
  return isSqlite(db) ? sqliteEra : sql`${postgresqlEra} + pg_current_xact_id()::text::bigint`;
}

type Listener = (changes: readonly (NewChange & { readonly id: number })[]) => void;
const listeners = new WeakMap<Db, Set<Listener>>();

/** Calls the listener with the changes that this process makes through `db`, after the commit. Returns a function that removes it. */
export function onOwnChanges(db: Db, listener: Listener): () => void {
  const known = listeners.get(db) ?? new Set();
  listeners.set(db, known.add(listener));
  return () => known.delete(listener);
}

function announceOwnChanges(db: Db, changes: Parameters<Listener>[0]): void {
  for (const listener of listeners.get(clientOf(db)) ?? []) listener(changes);
}

/** Runs `work` in a transaction, in which `record` adds changes to the log. */
export async function changing<T>(
  db: Db,
  work: (tx: Tx, record: (changes: readonly NewChange[]) => Promise<void>) => Promise<T>,
): Promise<T> {
  return transaction(db, async (tx) => {
    const recorded: (NewChange & { id: number })[] = [];
    whenCommitted(tx, () => {
      if (recorded.length > 0) announceOwnChanges(db, recorded);
    });
    return work(tx, async (changes) => {
      for (let from = 0; from < changes.length; from += BATCH_SIZE)
        recorded.push(...(await insert(tx, changes.slice(from, from + BATCH_SIZE))));
    });
  });
}

async function insert(tx: Tx, changes: readonly NewChange[]) {
  const rows = changes.map((change) => ({ ...change, fields: JSON.stringify(change.fields) }));
  const ids = await readRows<{ id: number }>(
    tx,
    sql`${insertMany(tx, 'Change', rows, { tx: txNumber(tx) })} RETURNING "id"`,
  );
  return changes.map((change, index) => ({ ...change, id: Number(ids[index]?.id) }));
}

/** Begins a new era if the log has numbers that this server has not assigned yet. Call it before anything is changed. */
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

/** Which transactions had ended at some time: all before `settled`, and those before `next` that are not in `open`. */
export interface LogSnapshot {
  readonly settled: number;
  readonly open: readonly number[];
  readonly next: number;
  /** The largest id; only for SQLite, which has no concurrent transactions. */
  readonly lastId: number;
}

/** A row of a snapshot; `lastId` only on SQLite, the others only on PostgreSQL. */
interface SnapshotRow {
  readonly era: number;
  readonly lastId?: number;
  readonly xmin?: number;
  readonly xmax?: number;
  readonly xip?: string;
}

/** A statement that returns one row. */
function snapshot(db: Db): Sql {
  if (isSqlite(db))
    return sql`SELECT ${sqliteEra} AS "era", (SELECT COALESCE(MAX("id"), 0) FROM "Change") AS "lastId"`;
  return sql`SELECT ${postgresqlEra} AS "era", pg_snapshot_xmin("now")::text::bigint AS "xmin",
    pg_snapshot_xmax("now")::text::bigint AS "xmax",
    (SELECT COALESCE(string_agg("one"::text, ','), '') FROM pg_snapshot_xip("now") AS "one") AS "xip"
    FROM (SELECT pg_current_snapshot() AS "now") AS "current"`;
}

function snapshotOf(db: Db, { era, lastId = 0, xmin = 0, xmax = 0, xip = '' }: SnapshotRow): LogSnapshot {
  const base = Number(era);
  if (isSqlite(db)) return { settled: base + 1, open: [], next: base, lastId: Number(lastId) };
  const open = xip === '' ? [] : xip.split(',').map((one) => base + Number(one));
  return { settled: base + Number(xmin), open, next: base + Number(xmax), lastId: 0 };
}

export async function readLogSnapshot(db: Db): Promise<LogSnapshot> {
  const [row] = await readRows<SnapshotRow>(db, snapshot(db));
  return snapshotOf(db, row ?? { era: 0 });
}

/** The numbers of all topics, and a snapshot, by one statement. */
export async function readRevisions(db: Db): Promise<{ revisions: Revision[]; now: LogSnapshot }> {
  const rows = await readRows<Revision & SnapshotRow>(
    db,
    sql`SELECT "topic", "number", "snapshot".* FROM "Revision", (${snapshot(db)}) AS "snapshot"`,
  );
  return { revisions: rows, now: snapshotOf(db, rows[0] ?? { era: 0 }) };
}

/** Whether a change was committed before the snapshot. */
export function wasCommitted({ open, next, lastId }: LogSnapshot, { tx, id }: Place): boolean {
  return id <= lastId || (tx < next && !open.includes(tx));
}

/** The end of the log: changes that settle later come after it. */
export function placeOf({ settled, next, lastId }: LogSnapshot): Place {
  return lastId > 0 ? { tx: next, id: lastId } : { tx: Math.min(settled, next), id: 0 };
}

/** How many changes are read by one statement. */
export const READ_TOGETHER = 200;

function logged(row: Change): LoggedChange {
  return { ...row, tx: Number(row.tx) };
}

/** Changes committed since then, in any order; may repeat some from just before. */
export async function* newSince(db: Db, { open, next, lastId }: LogSnapshot): AsyncGenerator<LoggedChange> {
  const opened = open.length > 0 ? sql`"tx" IN (${join([...open])}) OR` : empty;
  const isNew = isSqlite(db) ? sql`"id" > ${lastId}` : sql`(${opened} "tx" >= ${next})`;
  let from: Sql = empty;
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

/** The next settled changes after a place, in order; fewer than `READ_TOGETHER` if these are all. */
export async function settledAfter(
  db: Db,
  { tx, id }: Place,
  { settled }: LogSnapshot,
): Promise<LoggedChange[]> {
  const rows = await readRows<Change>(
    db,
    sql`SELECT ${columnsOf.Change} FROM "Change" WHERE ("tx", "id") > (${tx}, ${id}) AND "tx" < ${settled}
      ORDER BY "tx", "id" LIMIT ${READ_TOGETHER}`,
  );
  return rows.map(logged);
}

/** The account's next settled changes after a place, in order and up to another one; fewer than `READ_TOGETHER` if these are all. */
export async function settledBetween(
  db: Db,
  accountId: number,
  after: Place,
  upTo: Place,
): Promise<LoggedChange[]> {
  const rows = await readRows<Change>(
    db,
    sql`SELECT ${columnsOf.Change} FROM "Change" WHERE "accountId" = ${accountId}
      AND ("tx", "id") > (${after.tx}, ${after.id}) AND ("tx", "id") <= (${upTo.tx}, ${upTo.id})
      ORDER BY "tx", "id" LIMIT ${READ_TOGETHER}`,
  );
  return rows.map(logged);
}

/** The account's changes with these ids; `ids` must not be empty. */
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
 * Deletes changes from before a time, the oldest first, except those that are not queued for webhooks yet; returns whether
 * there may be more.
 */
export async function deleteOldChanges(db: Db, before: Date): Promise<boolean> {
  const deleted = await db.$executeRaw`
    DELETE FROM "Change" WHERE "at" < ${before} AND "id" IN (SELECT "id" FROM "Change" ORDER BY "id" LIMIT ${DELETED_TOGETHER})
    AND NOT EXISTS (SELECT 1 FROM "LogReader" AS "reader"
      WHERE ("Change"."tx", "Change"."id") > ("reader"."tx", "reader"."changeId") AND EXISTS (SELECT 1 FROM "Webhook"))`;
  return deleted === DELETED_TOGETHER;
}

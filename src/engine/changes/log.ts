import type { Logger } from 'pino';
import type { Data, Database, Transaction } from '../db/database.ts';
import type { ClientOf } from '../db/product.ts';
import { AgeRetention } from '../db/retention.ts';
import type { RetentionTime } from '../db/retention-clock.ts';
import { columnsIn, join, raw, type Sql, sql } from '../db/sql.ts';
import { beginTimeline, TIMELINE } from '../db/timeline.ts';
import { readNumbers } from '../lists/list-statements.ts';
import { DomainError } from '../rules/errors.ts';
import {
  changeColumns,
  type FoundChange,
  type LoggedChange,
  type MadeChange,
  type NewChange,
} from './events.ts';
import {
  EPOCH_BITS,
  isAfter,
  type LogPosition,
  type LogSnapshot,
  type SnapshotRow,
  transactionOrder,
} from './transaction-order.ts';

const BATCH_SIZE = 1_000;

/**
 * Adds changes to the log.
 * @param groups an expression for the groups of each, which may name its columns
 */
type RecordChanges = (changes: readonly NewChange[], groups?: Sql) => Promise<void>;

/** Runs `work` in a transaction, in which `record` adds changes to the log. */
export async function changing<Client extends ClientOf<Client>, T>(
  db: Data<Client>,
  work: (tx: Transaction<Client>, record: RecordChanges) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    const recorded: MadeChange[] = [];
    tx.afterCommit(() => {
      if (recorded.length > 0) db.database.changes.made(recorded);
    });
    return work(tx, async (changes, groups) => {
      for (let from = 0; from < changes.length; from += BATCH_SIZE) {
        const made = await insert(tx, changes.slice(from, from + BATCH_SIZE), groups);
        recorded.push(...made);
        tx.changeIds.push(...made.map(({ id }) => id));
      }
    });
  });
}

/** Inserts changes by one statement, and by another one their values, if they have any. */
async function insert(tx: Transaction, changes: readonly NewChange[], groups?: Sql): Promise<MadeChange[]> {
  const rows = changes.map(({ values: _, ...change }) => ({
    ...change,
    fields: JSON.stringify(change.fields),
  }));
  const ids = await tx.insertMany('Change', rows, {
    tx: transactionOrder(tx).current,
    ...(groups && { groups }),
  });
  const kept = changes.flatMap(({ values }, index) => {
    if (values == null) return [];
    const { images = [], ...columns } = values;
    return { images: [...new Set(images)], columns: { id: Number(ids[index]), ...columns } };
  });
  if (kept.length > 0)
    await tx.insertMany(
      'ChangeValues',
      kept.map(({ columns }) => columns),
    );
  const named = kept.flatMap(({ images, columns: { id } }) => images.map((hash) => sql`(${id}, ${hash})`));
  if (named.length > 0)
    await tx.execute(sql`INSERT INTO "ChangeImage" ("changeId", "hash") VALUES ${join(named)}`);
  return changes.map(({ values: _, ...change }, index) => ({ ...change, id: Number(ids[index]) }));
}

/**
 * Begins a new epoch if the log has numbers that this server has not given yet, and a timeline in a new database of SQLite. Call it
 * before anything is changed.
 */
export async function settleEpoch(db: Data): Promise<void> {
  if (!db.dialect.hasConcurrentWriters) await settleTimeline(db);
  const isDue = sql`"topic" = 'changes' AND (SELECT MAX("tx") FROM "Change") >= ${transactionOrder(db).next}`;
  // A start that changes nothing needs no space on the disk.
  if ((await db.read(sql`SELECT 1 FROM "Revision" WHERE ${isDue}`)).length === 0) return;
  await db.execute(sql`
    UPDATE "Revision" SET "number" = (SELECT (MAX("tx") >> ${EPOCH_BITS}) + 1 FROM "Change") WHERE ${isDue}`);
}

/** A log that has changes goes on in its timeline, which may be none. */
async function settleTimeline(db: Data): Promise<void> {
  const isNew = sql`SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM "Change")
    AND NOT EXISTS (SELECT 1 FROM "Revision" WHERE "topic" = ${TIMELINE})`;
  if ((await db.read(isNew)).length > 0) await db.execute(sql`${raw(beginTimeline('IGNORE'))}`);
}

export async function readLogSnapshot(db: Data): Promise<LogSnapshot> {
  const { snapshot, snapshotOf } = transactionOrder(db);
  const [row = {}] = await db.read<SnapshotRow>(snapshot);
  return snapshotOf(row);
}

export interface Revisions {
  /** The number of changes of keys. */
  readonly keys: number | undefined;
  readonly now: LogSnapshot;
}

/** Reads the number of changes of keys, and a snapshot. */
export async function readRevisions(db: Database): Promise<Revisions> {
  const { snapshot, snapshotOf } = transactionOrder(db);
  const rows = await db.readAlone<SnapshotRow & { topic: string; number: number }>(
    sql`SELECT "topic", "number", "snapshot".* FROM "Revision", (${snapshot}) AS "snapshot"`,
  );
  return { keys: rows.find(({ topic }) => topic === 'keys')?.number, now: snapshotOf(rows[0] ?? {}) };
}

export function wasCommitted({ open, next, lastId }: LogSnapshot, { tx, id }: LogPosition): boolean {
  return id <= lastId || (tx < next && !open.includes(tx));
}

/** Finds the end of the log: changes that settle later come after it. */
export function findLogEnd({ settled, next, lastId }: LogSnapshot): LogPosition {
  return lastId > 0 ? { tx: next, id: lastId } : { tx: Math.min(settled, next), id: 0 };
}

export const MAX_READ = 200;

type Read = <Row>(statement: Sql) => Promise<Row[]>;

const allColumns = columnsIn('Change', changeColumns);

async function readChanges(read: Read, condition: Sql): Promise<LoggedChange[]> {
  const rows = await read<LoggedChange>(sql`SELECT ${allColumns} FROM "Change" WHERE ${condition}`);
  return rows.map((row) => ({ ...row, tx: Number(row.tx) }));
}

const nextInOrder = sql`ORDER BY "tx", "id" LIMIT ${MAX_READ}`;

const foundColumns = columnsIn('Change', [
  'id',
  'tx',
  'accountId',
  'kind',
  'action',
  'recordId',
  'fields',
] satisfies (keyof FoundChange)[]);

export const MAX_FOUND = 1_000;

/**
 * The next changes that were committed between two snapshots; fewer than `MAX_FOUND` if these are all. On a standby, some are from
 * before the first snapshot.
 */
export async function committedBetween(
  db: Database,
  from: LogSnapshot,
  to: LogSnapshot,
  after: LogPosition | null,
): Promise<FoundChange[]> {
  const between = transactionOrder(db).between(from, to, after);
  const rows = await db.readAlone<FoundChange>(
    sql`SELECT ${foundColumns} FROM "Change" WHERE ${between} LIMIT ${MAX_FOUND}`,
  );
  return rows.map((row) => ({ ...row, tx: Number(row.tx) }));
}

/** The next settled changes after a position, in order; fewer than `MAX_READ` if these are all. */
export function settledAfter(
  db: Database,
  { tx, id }: LogPosition,
  { settled }: LogSnapshot,
): Promise<LoggedChange[]> {
  const isNext = sql`("tx", "id") > (${tx}, ${id}) AND "tx" < ${settled} ${nextInOrder}`;
  return readChanges(db.readAlone.bind(db), isNext);
}

/** The account's next settled changes after a position, in order and up to another one; fewer than `MAX_READ` if these are all. */
export function settledBetween(
  db: Data,
  accountId: number,
  after: LogPosition,
  upTo: LogPosition,
): Promise<LoggedChange[]> {
  const isBetween = sql`("tx", "id") > (${after.tx}, ${after.id}) AND ("tx", "id") <= (${upTo.tx}, ${upTo.id})`;
  return readChanges(db.read.bind(db), sql`"accountId" = ${accountId} AND ${isBetween} ${nextInOrder}`);
}

/** The account's changes with these ids; `ids` must not be empty. */
export function changesWithIds(db: Data, accountId: number, ids: readonly number[]): Promise<LoggedChange[]> {
  return readChanges(db.read.bind(db), sql`"id" IN (${join([...ids])}) AND "accountId" = ${accountId}`);
}

/** Finds the position up to which the named reader has read the log; null if it has not begun. */
export async function findReaderPosition(db: Data, name: string): Promise<LogPosition | null> {
  const [row] = await db.read<{ tx: number; changeId: number }>(
    sql`SELECT "tx", "changeId" FROM "LogReader" WHERE "name" = ${name}`,
  );
  return row ? { tx: Number(row.tx), id: Number(row.changeId) } : null;
}

/** Sets the reader to a position, whatever its position was. */
export async function beginReader(
  tx: Transaction,
  name: string,
  { tx: number, id }: LogPosition,
): Promise<void> {
  await tx.prisma.$executeRaw(sql`
    INSERT INTO "LogReader" ("name", "tx", "changeId") VALUES (${name}, ${number}, ${id})
    ON CONFLICT ("name") DO UPDATE SET "tx" = ${number}, "changeId" = ${id}`);
}

/**
 * Moves the reader from one position to another; returns whether it was still at the first. If several processes have read
 * the same changes, only one of them moves the reader, and commits the rest of its transaction.
 */
export async function moveReader(
  tx: Transaction,
  name: string,
  from: LogPosition,
  to: LogPosition,
): Promise<boolean> {
  const moved = await tx.prisma.$executeRaw(sql`
    UPDATE "LogReader" SET "tx" = ${to.tx}, "changeId" = ${to.id}
    WHERE "name" = ${name} AND "tx" = ${from.tx} AND "changeId" = ${from.id}`);
  return moved === 1;
}

/** The name of the position up to which old changes are deleted, among those of readers. */
const DELETED = 'deleted';

/** @throws DomainError HISTORY_GONE if changes after the position are deleted */
export async function requireNotDeleted(db: Data, position: LogPosition): Promise<void> {
  const deleted = await findReaderPosition(db, DELETED);
  if (deleted !== null && isAfter(deleted, position)) throw historyGone();
}

/**
 * An expression that is above 0 if the log has all of the account's changes after a position: it has the change at the position,
 * or that was the last one that is deleted. Positions of other databases, and from after a backup that is restored, have no change.
 */
export function reachesBack(accountId: number, { tx, id }: LogPosition): Sql {
  return sql`(SELECT COUNT(*) FROM "Change" WHERE "id" = ${id} AND "tx" = ${tx} AND "accountId" = ${accountId})
    + (SELECT COUNT(*) FROM "LogReader" WHERE "name" = ${DELETED} AND "tx" = ${tx} AND "changeId" = ${id})`;
}

/** @throws DomainError HISTORY_GONE if the log lacks changes of the account after the position */
export async function requireReach(db: Data, accountId: number, position: LogPosition): Promise<void> {
  const [found = 0] = await readNumbers(db, [reachesBack(accountId, position)]);
  if (found === 0) throw historyGone();
}

export function historyGone(): DomainError {
  return new DomainError(
    'HISTORY_GONE',
    'The log does not have all changes after this cursor any more. Read everything again, and go on with a new cursor.',
  );
}

const DELETE_BATCH_SIZE = 1_000;

interface OldChange extends LogPosition {
  readonly at: Date;
  /** True if all readers have read it. */
  readonly isRead: boolean | number;
}

/** Returns the last of the first changes that may be deleted, or null for none, and their number. */
function findLastOld(changes: readonly OldChange[], before: Date, now: Date): [OldChange | null, number] {
  let [last, count]: [OldChange | null, number] = [null, 0];
  for (const [index, change] of changes.entries()) {
    // A clock that was ahead for a while keeps no changes in the log that come before old ones.
    if (!change.isRead || (change.at >= before && change.at <= now)) break;
    if (change.at < before) [last, count] = [change, index + 1];
  }
  return [last, count];
}

/**
 * Deletes changes from before a time, the oldest first, up to the first one that is newer or that a reader still needs. The log
 * then has all changes after the position that is stored. Returns whether there may be more.
 */
async function deleteOldChanges(db: Data, before: Date, now: Date): Promise<boolean> {
  const isUnread = sql`EXISTS (SELECT 1 FROM "LogReader" AS "reader" WHERE "name" <> ${DELETED}
    AND ("Change"."tx", "Change"."id") > ("reader"."tx", "reader"."changeId") AND ${db.database.product.isLogRead})`;
  const found = await db.read<OldChange>(sql`
    SELECT "tx", "id", "at", NOT ${isUnread} AS "isRead" FROM "Change" WHERE ${transactionOrder(db).isSettled}
    ORDER BY "tx", "id" LIMIT ${DELETE_BATCH_SIZE}`);
  const [last, count] = findLastOld(found, before, now);
  if (last === null) return false;
  const [tx, id] = [Number(last.tx), last.id];
  await db.transaction(async (changing) => {
    // Another process may have deleted more meanwhile.
    await changing.execute(sql`
      INSERT INTO "LogReader" ("name", "tx", "changeId") VALUES (${DELETED}, ${tx}, ${id})
      ON CONFLICT ("name") DO UPDATE SET "tx" = excluded."tx", "changeId" = excluded."changeId"
      WHERE ("LogReader"."tx", "LogReader"."changeId") < (excluded."tx", excluded."changeId")`);
    await changing.execute(sql`DELETE FROM "Change" WHERE ("tx", "id") <= (${tx}, ${id})`);
  });
  return count === DELETE_BATCH_SIZE;
}

/** Deletes changes that are older than a number of days; 0 keeps all. */
export function changeRetention(db: Data, days: number, now: RetentionTime, log: Logger): AgeRetention {
  const maxAge = days * 24 * 60 * 60 * 1000;
  const deleteSome = (before: Date) => deleteOldChanges(db, before, new Date(before.getTime() + maxAge));
  return new AgeRetention(log, { maxAge, now, deleteSome });
}

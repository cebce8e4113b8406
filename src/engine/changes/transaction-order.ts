import type { Data } from '../db/database.ts';
import { join, raw, type Sql, sql } from '../db/sql.ts';
import { TIMELINE } from '../db/timeline.ts';

/**
 * Transactions do not commit in the order of their rows' ids, so a reader that continues after the largest id misses rows.
 * Rows are read in the order of transaction numbers instead, and on PostgreSQL only up to the oldest transaction that is
 * still open: no later row can come before rows that were read. SQLite has one writer, and does not have this problem.
 *
 * These numbers start again when a database is restored on another server, or copied. Therefore an epoch, which is
 * incremented then, precedes them. On SQLite, a random number takes the place of the transaction's: two restores of a backup
 * begin the same epoch, and two new databases have the same one. It is 0 in databases of earlier versions.
 */
export const EPOCH_BITS = raw('40');
const epoch = sql`(SELECT "number" FROM "Revision" WHERE "topic" = 'changes')`;

/** Which transactions had ended at some time: all before `settled`, and those before `next` that are not in `open`. */
export interface LogSnapshot {
  readonly settled: number;
  readonly open: readonly number[];
  readonly next: number;
  /** The largest id; 0 with concurrent transactions. */
  readonly lastId: number;
  /** True if the database is a replica of another. */
  readonly isStandby: boolean;
}

export type SnapshotRow = Readonly<Record<string, unknown>>;

/** The place of a change in the log. */
export interface LogPosition {
  readonly tx: number;
  readonly id: number;
}

/** True if the position comes after the other one. */
export function isAfter(position: LogPosition, other: LogPosition): boolean {
  return position.tx > other.tx || (position.tx === other.tx && position.id > other.id);
}

/** The numbering of a database's transactions. */
interface TransactionOrder {
  readonly current: Sql;
  /** A number that no transaction has had yet. */
  readonly next: Sql;
  /** The condition of changes whose order is final. */
  readonly isSettled: Sql;
  /** A SELECT of one row, and what the row means. */
  readonly snapshot: Sql;
  snapshotOf(row: SnapshotRow): LogSnapshot;
  /**
   * The condition and order of changes that were committed between two snapshots, after a position. On a standby, which does not
   * know all open transactions, also of some from before the first snapshot: not those that `settled` of it includes.
   */
  between(from: LogSnapshot, to: LogSnapshot, after: LogPosition | null): Sql;
}

const timeline = sql`COALESCE((SELECT "number" FROM "Revision" WHERE "topic" = ${raw(`'${TIMELINE}'`)}), 0)`;
const sqliteEpoch = sql`((${epoch} << ${EPOCH_BITS}) + ${timeline})`;

/** All transactions of an epoch have one number: their ids are in order. */
const byId: TransactionOrder = {
  current: sqliteEpoch,
  next: sql`${sqliteEpoch} + 1`,
  isSettled: sql`1 = 1`,
  snapshot: sql`SELECT ${sqliteEpoch} AS "epoch", (SELECT COALESCE(MAX("id"), 0) FROM "Change") AS "lastId"`,
  snapshotOf({ epoch, lastId }) {
    const number = Number(epoch);
    return { settled: number + 1, open: [], next: number, lastId: Number(lastId), isStandby: false };
  },
  // By the id alone: in the order of the transactions, each page would sort all of them.
  between: ({ lastId }, to, after) =>
    sql`"id" > ${after?.id ?? lastId} AND "id" <= ${to.lastId} ORDER BY "id"`,
};

const postgresqlEpoch = sql`(${epoch}::bigint << ${EPOCH_BITS})`;

const byTransaction: TransactionOrder = {
  current: sql`${postgresqlEpoch} + pg_current_xact_id()::text::bigint`,
  next: sql`${postgresqlEpoch} + pg_snapshot_xmax(pg_current_snapshot())::text::bigint`,
  isSettled: sql`"tx" < ${postgresqlEpoch} + pg_snapshot_xmin(pg_current_snapshot())::text::bigint`,
  snapshot: sql`SELECT ${postgresqlEpoch} AS "epoch", pg_is_in_recovery() AS "standby", pg_snapshot_xmin("now")::text::bigint AS "xmin",
    pg_snapshot_xmax("now")::text::bigint AS "xmax",
    (SELECT COALESCE(string_agg("one"::text, ','), '') FROM pg_snapshot_xip("now") AS "one") AS "xip"
    FROM (SELECT pg_current_snapshot() AS "now") AS "current"`,
  snapshotOf({ epoch, standby, xmin, xmax, xip }) {
    const number = (offset: unknown) => Number(epoch) + Number(offset);
    const open = xip === '' ? [] : String(xip).split(',').map(number);
    return { settled: number(xmin), open, next: number(xmax), lastId: 0, isStandby: standby === true };
  },
  between(from, to, after) {
    const first = from.isStandby ? from.settled : from.next;
    const isByOpen = (open: readonly number[]) => sql`"tx" IN (${join([...open])})`;
    const conditions = [
      // The start of a scan of the index, whatever the planner expects of the others.
      after === null
        ? sql`"tx" >= ${Math.min(first, ...from.open)}`
        : sql`("tx", "id") > (${after.tx}, ${after.id})`,
      sql`"tx" < ${to.next}`,
      ...(from.open.length > 0 ? [sql`("tx" >= ${first} OR ${isByOpen(from.open)})`] : []),
      ...(to.open.length > 0 ? [sql`NOT ${isByOpen(to.open)}`] : []),
    ];
    return sql`${join(conditions, ' AND ')} ORDER BY "tx", "id"`;
  },
};

export function transactionOrder(db: Data): TransactionOrder {
  return db.dialect.hasConcurrentWriters ? byTransaction : byId;
}

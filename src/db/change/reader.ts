import type { Data, Transaction } from '../database.ts';
import { sql } from '../sql.ts';
import type { LogPosition } from './log.ts';

/** How far the named reader has read the log; null if it has not begun. */
export async function positionOfReader(db: Data, name: string): Promise<LogPosition | null> {
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

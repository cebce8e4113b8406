import { nameFor } from '../tools/name-for.ts';
import type { Transaction } from './database.ts';
import { type Sql, sql } from './sql.ts';

/** The number of a lock. A database has the locks of all its schemas. */
function makeLockNumber({ database }: Transaction, name: string): Sql {
  return sql`hashtextextended(${nameFor('schema', database.schema, name)}, 0)`;
}

/** Waits for the lock with a name, and keeps it until the transaction ends. */
export async function lockName(tx: Transaction, name: string): Promise<void> {
  if (tx.dialect.hasConcurrentWriters)
    await tx.read(sql`SELECT pg_advisory_xact_lock(${makeLockNumber(tx, name)})::text`);
}

/** Tries to lock a name until the transaction ends, without waiting; returns whether it did. */
export async function tryLockName(tx: Transaction, name: string): Promise<boolean> {
  if (!tx.dialect.hasConcurrentWriters) return true;
  const [row] = await tx.read<{ taken: boolean }>(
    sql`SELECT pg_try_advisory_xact_lock(${makeLockNumber(tx, name)}) AS "taken"`,
  );
  return row?.taken === true;
}

import { sql } from '../engine/db/sql.ts';
import type { Transaction } from './database.ts';

// The deletion of a space or tag keeps the ids of the links that had it, for its restoration. Slices take it from them first, and note
// these here, so that they are known even if the request breaks off and another one goes on.

/** Maximum number of links that a restoration gives back. */
export const MAX_TAKEN = 10_000;

/** A space or tag that is taken from its links. */
export interface TakenRecord {
  readonly kind: 'SPACE' | 'TAG';
  readonly recordId: number;
}

/** Notes that links had the record. Beyond `MAX_TAKEN` it notes nothing more. */
export async function noteTaken(
  tx: Transaction,
  accountId: number,
  { kind, recordId }: TakenRecord,
  ids: readonly number[],
  at: Date,
): Promise<void> {
  const { _sum } = await tx.prisma.takenLinks.aggregate({
    where: { accountId, kind, recordId },
    _sum: { count: true },
  });
  if (ids.length === 0 || (_sum.count ?? 0) > MAX_TAKEN) return;
  await tx.insertMany('TakenLinks', [
    { accountId, kind, recordId, linkIds: JSON.stringify(ids), count: ids.length, at },
  ]);
}

/** Returns the noted links and further ones, ascending, and removes the notes; null if they are more than `MAX_TAKEN`. */
export async function collectTaken(
  tx: Transaction,
  accountId: number,
  { kind, recordId }: TakenRecord,
  more: readonly number[],
): Promise<number[] | null> {
  const noted = await tx.read<{ linkIds: string; count: number }>(sql`
    DELETE FROM "TakenLinks" WHERE "accountId" = ${accountId} AND "kind" = ${kind} AND "recordId" = ${recordId}
    RETURNING "linkIds", "count"`);
  const isFull = noted.reduce((sum, { count }) => sum + count, 0) > MAX_TAKEN;
  const ids = new Set([...noted.flatMap(({ linkIds }) => JSON.parse(linkIds) as number[]), ...more]);
  return isFull || ids.size > MAX_TAKEN ? null : [...ids].sort((a, b) => a - b);
}

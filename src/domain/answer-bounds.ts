import type { Data } from '../db/database.ts';
import { type Bounds, deleteExcess } from '../db/idempotency-answers.ts';

/** The maximum number of an account's stored answers, and of their bytes. */
const BOUNDS: Bounds = { count: 20_000, bytes: 100_000_000 };
/** How many further answers, or bytes of them, a process stores before it enforces the maximum. */
const CHECKED_AFTER: Bounds = { count: 50, bytes: 1_000_000 };
/** Counts an answer that was stored, and from time to time deletes the oldest ones beyond the bounds. Errors are ignored. */
export async function enforceBounds(db: Data, accountId: number, size: number): Promise<void> {
  const { stored: accounts } = db.database.keyedWrites;
  const before = accounts.get(accountId) ?? { count: 0, bytes: 0 };
  const stored = { count: before.count + 1, bytes: before.bytes + size };
  const isDue = stored.count >= CHECKED_AFTER.count || stored.bytes >= CHECKED_AFTER.bytes;
  accounts.set(accountId, isDue ? { count: 0, bytes: 0 } : stored);
  if (isDue) await deleteExcess(db, accountId, BOUNDS).catch(() => {});
}

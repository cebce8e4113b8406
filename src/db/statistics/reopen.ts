import type { Db } from '../connection/db.ts';
import { daysAfter } from './calendar.ts';

/** Allows visitors to be counted from a past day on; only for an empty database, in which none were counted yet. */
export async function reopenDays(db: Db, from: number): Promise<void> {
  await db.$executeRaw`UPDATE "Revision" SET "number" = ${daysAfter(from, -1)} WHERE "topic" = 'visitors'`;
}

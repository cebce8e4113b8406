import type { Db } from '../connection/client.ts';
import { daysAfter } from './calendar.ts';

/** Lets visitors be counted from a day on that may be over: of an empty database, where nobody was counted yet. */
export async function reopenDays(db: Db, from: number): Promise<void> {
  await db.$executeRaw`UPDATE "Revision" SET "number" = ${daysAfter(from, -1)} WHERE "topic" = 'visitors'`;
}

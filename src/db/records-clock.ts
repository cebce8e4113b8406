import { RECORDS, type Trust } from '../engine/db/retention-clock.ts';
import { sql } from '../engine/db/sql.ts';
import type { Data } from './database.ts';
import { type Day, daysAfter, startOf } from './statistics/calendar.ts';

/** Returns the time of the last run by the last day whose visitors were deleted; null in a new database. */
async function lastVisitors(db: Pick<Data, 'read'>): Promise<Date | null> {
  const [row] = await db.read<{ number: Day }>(
    sql`SELECT "number" FROM "Revision" WHERE "topic" = 'visitors' AND "number" > 0`,
  );
  return row ? startOf(daysAfter(row.number, 1)) : null;
}

/** For what is kept for months, also before the first run of a clock. */
export const LASTING: Trust = { ...RECORDS, lastKnown: lastVisitors };

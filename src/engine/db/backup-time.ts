import type { Data } from './database.ts';
import { sql } from './sql.ts';

/** The row of "Revision" with the time of the last backup, in minutes since 1970. */
export const BACKUP = 'backup';
export const A_MINUTE = 60_000;

/** The time of the last backup that the database knows of; null without one. */
export async function notedBackup(db: Data): Promise<Date | null> {
  const [noted] = await db.read<{ number: number }>(
    sql`SELECT "number" FROM "Revision" WHERE "topic" = ${BACKUP}`,
  );
  return noted ? new Date(noted.number * A_MINUTE) : null;
}

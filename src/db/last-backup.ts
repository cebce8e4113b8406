import { notedBackup } from '../engine/db/backup-time.ts';
import type { Data } from './database.ts';

/** The time of the last backup that the database knows of; without one, the beginning of its data; null for no data. */
export async function lastBackup(db: Data): Promise<Date | null> {
  const noted = await notedBackup(db);
  if (noted !== null) return noted;
  const first = await db.prisma.account.findFirst({ orderBy: { id: 'asc' }, select: { createdAt: true } });
  return first?.createdAt ?? null;
}

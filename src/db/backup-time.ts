import type { Data } from './database.ts';

/** The row of "Revision" with the time of the last backup, in minutes since 1970. */
export const BACKUP = 'backup';
export const A_MINUTE = 60_000;

/** The time of the last backup that the database knows of; without one, the beginning of its data; null for no data. */
export async function lastBackup({ prisma }: Pick<Data, 'prisma'>): Promise<Date | null> {
  const noted = await prisma.revision.findUnique({ where: { topic: BACKUP } });
  if (noted !== null) return new Date(noted.number * A_MINUTE);
  const first = await prisma.account.findFirst({ orderBy: { id: 'asc' }, select: { createdAt: true } });
  return first?.createdAt ?? null;
}

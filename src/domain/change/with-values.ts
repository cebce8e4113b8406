import type { Data } from '../../db/database.ts';
import type { KindWithValues } from './values.ts';

/** The record of an account whose changes have values; null if it does not exist now. */
export function findRecord(
  { prisma }: Data,
  { kind, recordId: id, accountId }: { kind: KindWithValues; recordId: number; accountId: number },
) {
  const where = { id, accountId };
  if (kind === 'LINK') return prisma.link.findUnique({ where });
  return kind === 'SPACE' ? prisma.space.findUnique({ where }) : prisma.tag.findUnique({ where });
}

import type { Data } from './database.ts';

/** How many changes are read at most: of more, all callers are read. */
const MAX_READ = 1_000;

/** The ids of rows that were changed, by their tables. */
export interface ChangedAccess {
  readonly keys: ReadonlySet<number>;
  readonly sessions: ReadonlySet<number>;
  readonly members: ReadonlySet<number>;
  readonly users: ReadonlySet<number>;
}

/**
 * The rows that give access and were changed after a number of changes, up to another one; null if that is not known: they are too
 * many, or too long ago. A changed user is one with all memberships.
 */
export async function accessChangedBetween(
  { prisma }: Pick<Data, 'prisma'>,
  after: number,
  upTo: number,
): Promise<ChangedAccess | null> {
  if (upTo < after || upTo - after > MAX_READ) return null;
  const rows = await prisma.accessChange.findMany({ where: { number: { gt: after, lte: upTo } } });
  // A number has one row, which is deleted after many others.
  if (rows.length !== upTo - after) return null;
  const of = (table: string) =>
    new Set(rows.filter(({ kind }) => kind === table).map(({ recordId }) => recordId));
  const users = of('User');
  const theirs =
    users.size === 0
      ? []
      : await prisma.membership.findMany({ where: { userId: { in: [...users] } }, select: { id: true } });
  const members = new Set([...of('Membership'), ...theirs.map(({ id }) => id)]);
  return { keys: of('ApiKey'), sessions: of('Session'), members, users };
}

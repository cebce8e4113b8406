import type { Data } from './database.ts';

/** The most changes that are read: of more, all callers are read. */
const MAX_READ = 1_000;

/** The ids of rows that were changed, by their tables. */
export interface ChangedAccess {
  readonly keys: ReadonlySet<number>;
  readonly sessions: ReadonlySet<number>;
  readonly members: ReadonlySet<number>;
  readonly users: ReadonlySet<number>;
  readonly accounts: ReadonlySet<number>;
}

/** The tables whose changes are noted. */
const TABLES = new Set(['ApiKey', 'Session', 'Membership', 'User', 'Account']);

/**
 * The rows that give access and were changed after a number of changes, up to another one; null if that is not known: they are too
 * many, too long ago, or of a table that is not known here. A changed user is one with all memberships.
 */
export async function accessChangedBetween(
  { prisma }: Pick<Data, 'prisma'>,
  after: number,
  upTo: number,
): Promise<ChangedAccess | null> {
  if (upTo < after || upTo - after > MAX_READ) return null;
  const rows = await prisma.accessChange.findMany({ where: { number: { gt: after, lte: upTo } } });
  // A number has one row, which is deleted after many others.
  if (rows.length !== upTo - after || rows.some(({ kind }) => !TABLES.has(kind))) return null;
  const of = (table: string) =>
    new Set(rows.filter(({ kind }) => kind === table).map(({ recordId }) => recordId));
  const users = of('User');
  const theirs =
    users.size === 0
      ? []
      : await prisma.membership.findMany({ where: { userId: { in: [...users] } }, select: { id: true } });
  const members = new Set([...of('Membership'), ...theirs.map(({ id }) => id)]);
  return { keys: of('ApiKey'), sessions: of('Session'), members, users, accounts: of('Account') };
}

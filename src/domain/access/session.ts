import type { Data } from '../../db/database.ts';
import { notFound } from '../errors.ts';
import { parseId } from '../input.ts';
import { type Actor, generateToken, hashToken } from './actor.ts';

/** How long a session lasts without use, and at most, in milliseconds. */
const IDLE = 12 * 60 * 60 * 1000;
const LONGEST = 30 * 24 * 60 * 60 * 1000;
const MAX_DEVICE = 200;
/** How many sessions are shown. */
export const MAX_SESSIONS = 20;

/** A condition for sessions that have not ended. */
export function liveSessions(now: Date) {
  const ago = (time: number) => new Date(now.getTime() - time);
  return { lastUsedAt: { gt: ago(IDLE) }, signedInAt: { gt: ago(LONGEST) }, user: { disabledAt: null } };
}

export function sessionEnd({ signedInAt, lastUsedAt }: { signedInAt: Date; lastUsedAt: Date }): Date {
  return new Date(Math.min(lastUsedAt.getTime() + IDLE, signedInAt.getTime() + LONGEST));
}

/** How many sessions this process has begun. */
export function sessionsBegun(): number {
  return begun;
}
let begun = 0;

/** The token of a session, and for how long a browser keeps it, in seconds. */
export interface NewSession {
  readonly id: number;
  readonly token: string;
  readonly maxAge: number;
}

/**
 * Begins a session: always a new one, so that nobody can prepare it for another. Deletes those of the user that have ended.
 * @param device the User-Agent header
 */
export async function beginSession(db: Data, userId: number, device: string, now: Date): Promise<NewSession> {
  const token = generateToken();
  const { user: _, ...live } = liveSessions(now);
  await db.prisma.session.deleteMany({ where: { userId, NOT: live } });
  const { id } = await db.prisma.session.create({
    data: {
      hash: hashToken(token),
      userId,
      device: device.slice(0, MAX_DEVICE),
      signedInAt: now,
      lastUsedAt: now,
    },
  });
  begun++;
  return { id, token, maxAge: LONGEST / 1000 };
}

/** The user with a session's token, and that session; null if it has ended. */
export async function findSession(db: Data, token: string, now: Date) {
  return db.prisma.session.findFirst({
    where: { hash: hashToken(token), ...liveSessions(now) },
    include: { user: true },
  });
}

export async function endSession(db: Data, token: string): Promise<void> {
  await db.prisma.session.deleteMany({ where: { hash: hashToken(token) } });
}

/** A user's own sessions, the last used first. */
export async function sessionsOf(db: Data, userId: number, now: Date) {
  return db.prisma.session.findMany({
    where: { userId, ...liveSessions(now) },
    orderBy: [{ lastUsedAt: 'desc' }, { id: 'desc' }],
    take: MAX_SESSIONS,
  });
}

/**
 * Ends one of the caller's own sessions.
 * @throws DomainError NOT_FOUND
 */
export async function revokeSession(
  db: Data,
  { userId }: Pick<Actor, 'userId'>,
  id: string,
): Promise<number> {
  const number = parseId(id);
  const where = { id: number ?? 0, userId: userId ?? 0 };
  if ((await db.prisma.session.deleteMany({ where })).count === 0) throw notFound('session');
  return where.id;
}

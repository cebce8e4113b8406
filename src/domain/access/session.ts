import type { Data, Transaction } from '../../db/database.ts';
import { DomainError, notFound } from '../../engine/rules/errors.ts';
import { parseId } from '../../engine/rules/input.ts';
import { refusal } from '../rules.ts';
import { type Actor, generateToken, hashToken } from './actor.ts';
import { lockAccess } from './lock-access.ts';
import { maySignIn, type User } from './user.ts';

/** Milliseconds after the last use, and after the sign-in, at which a session ends. */
const IDLE = 12 * 60 * 60 * 1000;
const LONGEST = 30 * 24 * 60 * 60 * 1000;
/** Milliseconds for which an expired session is remembered, so that browsers can tell expiry from an end by others. */
const EXPIRED_FOR = 24 * 60 * 60 * 1000;
const MAX_DEVICE = 200;
/** Maximum number of sessions of a user; each is shown and can be ended. */
export const MAX_SESSIONS = 50;
const newestFirst = [{ lastUsedAt: 'desc' }, { id: 'desc' }] as const;

/** A condition for sessions that have not ended. */
export function liveSessions(now: Date) {
  const ago = (time: number) => new Date(now.getTime() - time);
  return { lastUsedAt: { gt: ago(IDLE) }, signedInAt: { gt: ago(LONGEST) }, user: maySignIn };
}

export function sessionEnded(): DomainError {
  return new DomainError('UNAUTHENTICATED', refusal('SESSION_ENDED'));
}

export function sessionEnd({ signedInAt, lastUsedAt }: { signedInAt: Date; lastUsedAt: Date }): Date {
  return new Date(Math.min(lastUsedAt.getTime() + IDLE, signedInAt.getTime() + LONGEST));
}

/** Number of sessions that this process has begun. */
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

/** The passkey, or the identity of the OpenID provider, by which somebody signs in. */
export type WayIn = { readonly passkeyId: number } | { readonly issuer: string; readonly subject: string };

/** A user as a sign-in found them, and by what, unless by the password. */
export type FoundUser = Pick<User, 'id' | 'password'> & { readonly way?: WayIn };

/** A condition for users who still have what they signed in with. */
function hasWay(way: WayIn | undefined) {
  if (way === undefined) return {};
  return 'passkeyId' in way ? { passkeys: { some: { id: way.passkeyId } } } : { identities: { some: way } };
}

/**
 * Begins a session: always a new one, so that nobody can prepare it for another. Deletes those of the user that expired long ago,
 * and the one that was used longest ago if there are too many.
 * @param user as the sign-in found them: it may have taken long since
 * @param device the User-Agent header
 * @param replaced the token of the session that the browser has, which ends: of the same user, the new one takes over what it began
 * @throws DomainError UNAUTHENTICATED if the user was disabled, has another password, or has lost the passkey or identity meanwhile
 */
export async function beginSession(
  db: Data,
  { id: userId, password, way }: FoundUser,
  device: string,
  now: Date,
  replaced: string | null = null,
): Promise<NewSession> {
  const token = generateToken();
  const { user: _, ...known } = liveSessions(new Date(now.getTime() - EXPIRED_FOR));
  const id = await db.transaction(async (tx) => {
    await lockAccess(tx, { User: [userId] });
    const found = { id: userId, password, ...hasWay(way), ...maySignIn };
    const same = await tx.prisma.user.findFirst({ where: found });
    if (same === null) throw sessionEnded();
    await tx.prisma.session.deleteMany({ where: { userId, NOT: known } });
    const [hash, times] = [hashToken(token), { signedInAt: now, lastUsedAt: now }];
    const data = { hash, userId, device: device.slice(0, MAX_DEVICE), ...times };
    const { id } = await tx.prisma.session.create({ data });
    if (replaced !== null) await replaceSession(tx, replaced, { id, userId }, now);
    const tooMany = await tx.prisma.session.findMany({
      ...{
        where: { userId, id: { not: id } },
        orderBy: [...newestFirst],
        skip: MAX_SESSIONS - 1,
        select: { id: true },
      },
    });
    await tx.prisma.session.deleteMany({ where: { id: { in: tooMany.map(({ id }) => id) } } });
    return id;
  });
  begun++;
  return { id, token, maxAge: (LONGEST + EXPIRED_FOR) / 1000 };
}

/** Ends a session, and passes the tokens that it began to another one of the same user, if it has not expired. */
async function replaceSession(
  { prisma }: Transaction,
  token: string,
  by: { readonly id: number; readonly userId: number },
  now: Date,
): Promise<void> {
  const hash = hashToken(token);
  const own = await prisma.session.findFirst({ where: { hash, userId: by.userId, ...liveSessions(now) } });
  if (own) await prisma.oneTimeToken.updateMany({ where: { sessionId: own.id }, data: { sessionId: by.id } });
  await prisma.session.deleteMany({ where: { hash } });
}

/**
 * Changes how a user signs in, unless the session that asked for it has ended meanwhile: a reset throws out whoever is in, also
 * with what they have begun.
 * @throws DomainError UNAUTHENTICATED
 */
export async function bySession<T>(
  db: Data,
  { id, userId }: { readonly id: number; readonly userId: number },
  now: Date,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    await lockAccess(tx, { User: [userId], Session: [id] });
    if ((await tx.prisma.session.findFirst({ where: { id, userId, ...liveSessions(now) } })) === null)
      throw sessionEnded();
    return work(tx);
  });
}

/** The user with a session's token, and that session; null if it has ended. */
export async function findSession(db: Data, token: string, now: Date) {
  return db.prisma.session.findFirst({
    where: { hash: hashToken(token), ...liveSessions(now) },
    include: { user: true },
  });
}

/** True if the session with this token expired within the last day and nobody has ended it. */
export async function hasExpired(db: Data, token: string, now: Date): Promise<boolean> {
  const where = { hash: hashToken(token), user: maySignIn };
  const session = await db.prisma.session.findFirst({ where });
  const ago = session === null ? Number.NaN : now.getTime() - sessionEnd(session).getTime();
  return ago >= 0 && ago < EXPIRED_FOR;
}

export async function endSession(db: Data, token: string): Promise<void> {
  await db.prisma.session.deleteMany({ where: { hash: hashToken(token) } });
}

/** A user's own sessions, the last used first. */
export async function findSessions(db: Data, userId: number, now: Date) {
  return db.prisma.session.findMany({
    where: { userId, ...liveSessions(now) },
    orderBy: [...newestFirst],
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

import type { Data } from '../../db/database.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import { refusal } from '../rules.ts';
import { generateToken, hashToken } from './actor.ts';
import { liveSessions } from './session.ts';
import { type Asker, addFor, storedNetwork } from './strangers.ts';

/** Lifetimes of the kinds of tokens that work once, in milliseconds. */
const lifetimes = {
  /** The first owner comes in. */
  WELCOME: 24 * 60 * 60 * 1000,
  /** A user sets a new password. */
  RESET: 60 * 60 * 1000,
  /** A user confirms a new email address. */
  EMAIL: 24 * 60 * 60 * 1000,
  /** The answer of a passkey. */
  PASSKEY: 5 * 60 * 1000,
  /** The answer of an OpenID provider. */
  OPENID: 10 * 60 * 1000,
} as const;

export type TokenKind = keyof typeof lifetimes;

interface TokenOptions {
  readonly userId?: number | null;
  /** The session that begins it, with which it ends. */
  readonly sessionId?: number | null;
  readonly data?: object;
  /** The person who asked for it; null for the operator and the service itself. */
  readonly asker?: Asker | null;
}

/** Makes a token. Only this call returns it. @throws DomainError RATE_LIMITED if too many were asked for */
export async function createToken(
  db: Data,
  kind: TokenKind,
  { userId = null, sessionId = null, data = {}, asker = null }: TokenOptions,
  now: Date,
): Promise<string> {
  const token = generateToken();
  const expiresAt = new Date(now.getTime() + lifetimes[kind]);
  const network = asker && storedNetwork(asker);
  const about = { kind, userId, sessionId, data: JSON.stringify(data) };
  const row = { hash: hashToken(token), ...about, network, expiresAt };
  const create = ({ prisma }: Pick<Data, 'prisma'>) => prisma.oneTimeToken.create({ data: row });
  await (asker ? addFor(db, 'OneTimeToken', asker, now, create) : create(db));
  return token;
}

/** Ends a token that is not used yet, also after the session that asked for it. */
export async function endToken({ database }: Data, token: string): Promise<void> {
  await database.prisma.oneTimeToken.deleteMany({ where: { hash: hashToken(token) } });
}

export function linkEnded(): DomainError {
  return new DomainError('GONE', refusal('LINK_ENDED'));
}

/** Finds a token and its user without using it up. Null if it has expired, or if the session that began it has ended. */
export async function findToken(db: Data, kind: TokenKind | TokenKind[], token: string, now: Date) {
  return db.prisma.oneTimeToken.findFirst({
    where: {
      ...{ hash: hashToken(token), kind: { in: [kind].flat() }, expiresAt: { gt: now } },
      OR: [{ sessionId: null, userId: null }, { kind: 'RESET' }, { session: liveSessions(now) }],
    },
    include: { user: true },
  });
}

/**
 * Uses up a token: of two requests with it, one succeeds.
 * @throws DomainError GONE
 */
export async function takeToken(db: Data, kind: TokenKind, token: string, now: Date) {
  const found = await findToken(db, kind, token, now);
  if (found === null) throw linkEnded();
  const { count } = await db.prisma.oneTimeToken.deleteMany({ where: { id: found.id } });
  if (count === 0) throw linkEnded();
  return found;
}

import { z } from 'zod';
import type { Data, Transaction } from '../../db/database.ts';
import { countGuess, forgiveGuess } from '../../db/sign-in-guesses.ts';
import { DomainError } from '../errors.ts';
import { parseInput } from '../input.ts';
import type { UserPasswords } from '../password.ts';
import { hashToken } from './actor.ts';
import { createToken, takeToken } from './one-time-token.ts';
import {
  createUser,
  emailInput,
  emailKeyOf,
  endSessions,
  findUserByEmail,
  requireGoodPassword,
  type User,
} from './user.ts';

const AN_HOUR = 60 * 60 * 1000;
/** How many passwords are tried for an email address in an hour, over all processes. */
const MAX_GUESSES = 100;

/** What signing in needs besides the database. */
export interface SignInContext {
  readonly passwords: UserPasswords;
  /** The network of the client: those of one network take turns. */
  readonly network: string;
  readonly now: Date;
}

const guessesOf = (email: string) => hashToken(emailKeyOf(email));

/**
 * The user with this email and password; null alike if either is wrong or the user is disabled, after the same time.
 * @throws DomainError RATE_LIMITED after too many wrong passwords for the email
 */
export async function checkPassword(
  db: Data,
  { email, password }: { email: string; password: string },
  { passwords, network, now }: SignInContext,
): Promise<User | null> {
  const hourAgo = new Date(now.getTime() - AN_HOUR);
  const { count, since } = await countGuess(db, guessesOf(email), now, hourAgo);
  if (count > MAX_GUESSES) {
    const seconds = Math.max(1, Math.ceil((since.getTime() + AN_HOUR - now.getTime()) / 1000));
    const message = 'Too many wrong passwords for this email: wait, or ask for a new password.';
    throw new DomainError('RATE_LIMITED', message, [], seconds);
  }
  const user = await findUserByEmail(db, email);
  const isRight = await passwords.verify(network, password, user?.password ?? null);
  if (!isRight || user === null) return null;
  await forgiveGuess(db, guessesOf(email));
  return user.disabledAt === null ? user : null;
}

/** Forgets the wrong passwords that were tried for an email. */
export async function forgetGuesses(db: Data, email: string): Promise<void> {
  await db.prisma.signInGuesses.deleteMany({ where: { emailHash: guessesOf(email) } });
}

async function hasOwner(db: Data): Promise<boolean> {
  return (await db.prisma.membership.findFirst({ where: { role: 'OWNER' } })) !== null;
}

/**
 * Makes the token with which the first owner comes in, in place of an earlier one.
 * @returns null if there is an owner already
 */
export async function createWelcome(db: Data, now: Date): Promise<string | null> {
  if (await hasOwner(db)) return null;
  await db.prisma.oneTimeToken.deleteMany({ where: { kind: 'WELCOME' } });
  return createToken(db, 'WELCOME', {}, now);
}

const person = z.object({ name: z.unknown(), email: emailInput });

/**
 * Makes the first owner, of the oldest account.
 * @throws DomainError GONE, VALIDATION
 */
export async function welcome(
  db: Data,
  input: { token: string; name: unknown; email: unknown; password: unknown },
  { passwords, network, now }: SignInContext,
): Promise<User> {
  const { name, email } = parseInput(person, input);
  const password = await passwords.hash(network, requireGoodPassword(input.password, email));
  return db.transaction((tx) =>
    makeFirstOwner(tx, input.token, () => createUser(tx, { name, email }, password, now), now),
  );
}

/** Makes a user the owner of the oldest account by a token. @throws DomainError GONE */
export async function makeFirstOwner(
  tx: Transaction,
  token: string,
  userOf: () => Promise<User>,
  now: Date,
): Promise<User> {
  await takeToken(tx, 'WELCOME', token, now);
  if (await hasOwner(tx))
    throw new DomainError('GONE', 'There is an owner already: ask them for an invitation.');
  const { id: accountId } = await tx.prisma.account.findFirstOrThrow({ orderBy: { id: 'asc' } });
  const user = await userOf();
  await tx.prisma.membership.upsert({
    where: { accountId_userId: { accountId, userId: user.id } },
    create: { accountId, userId: user.id, role: 'OWNER', createdAt: now },
    update: { role: 'OWNER', isGiven: false },
  });
  return user;
}

/**
 * Sets a new password by a token, ends the user's sessions, and forgets the wrong passwords that were tried.
 * @throws DomainError GONE, VALIDATION
 */
export async function resetPassword(
  db: Data,
  input: { token: string; password: unknown },
  { passwords, network, now }: SignInContext,
): Promise<User> {
  const found = await db.prisma.oneTimeToken.findFirst({
    where: { hash: hashToken(input.token), kind: 'RESET' },
    include: { user: true },
  });
  const email = found?.user?.email ?? '';
  const password = await passwords.hash(network, requireGoodPassword(input.password, email));
  return takeReset(db, input.token, { password }, now);
}

/**
 * Uses up the token of a reset, and ends the user's sessions.
 * @param data what else is set: nothing where there are no passwords
 * @throws DomainError GONE
 */
export async function takeReset(
  db: Data,
  token: string,
  data: { password?: string },
  now: Date,
): Promise<User> {
  return db.transaction(async (tx) => {
    const { userId } = await takeToken(tx, 'RESET', token, now);
    const user = await tx.prisma.user.update({ where: { id: userId ?? 0 }, data });
    if (user.disabledAt !== null) throw new DomainError('GONE', 'This user is disabled.');
    await endSessions(tx, user.id);
    await forgetGuesses(tx, user.email);
    await tx.prisma.oneTimeToken.deleteMany({ where: { kind: 'RESET', userId: user.id } });
    return user;
  });
}

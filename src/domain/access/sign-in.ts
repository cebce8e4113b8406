import { z } from 'zod';
import type { Data, Transaction } from '../../db/database.ts';
import { forgiveGuess } from '../../db/sign-in-guesses.ts';
import { hasOwners, hasWelcome } from '../../db/start.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import { parseInput } from '../../engine/rules/input.ts';
import { nameFor } from '../../engine/tools/name-for.ts';
import { recordingChanges } from '../change/change.ts';
import type { UserPasswords } from '../password.ts';
import { refusal } from '../rules.ts';
import type { Services } from '../services.ts';
import { accountTitle, renameAccount } from './account.ts';
import { hashToken } from './actor.ts';
import { setEmail } from './address-change.ts';
import { countGuess } from './guesses.ts';
import { lockAccess } from './lock-access.ts';
import { composeMail, mayMail } from './mails.ts';
import { giveMembership } from './member.ts';
import { createToken, endToken, findToken, linkEnded, takeToken } from './one-time-token.ts';
import { bySession } from './session.ts';
import type { Asker } from './strangers.ts';
import {
  createUser,
  emailInput,
  endAll,
  endOthers,
  findUserByEmail,
  foldEmail,
  maySignIn,
  parseEmailKey,
  requireGoodPassword,
  type User,
} from './user.ts';
import type { SignedIn } from './ways-in.ts';

const AN_HOUR = 60 * 60 * 1000;
/** Maximum number of passwords tried for an email address in an hour, over all processes. */
const MAX_GUESSES = 100;

/** Dependencies of signing in besides the database. */
export interface SignInContext {
  readonly passwords: UserPasswords;
  readonly now: Date;
  /** The person who signs in. */
  readonly asker?: Asker;
  /** Called with the user whose password was tried, whether it is right or not. */
  tried?(userId: number): void;
}

export function tooManyPasswords(seconds: number): DomainError {
  const wait = seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
  const message = `Too many wrong passwords. Try again in ${wait}, sign in another way, or ask for a new password.`;
  return new DomainError('RATE_LIMITED', message, [], seconds);
}

const guessCounter = (email: string) => hashToken(nameFor('guess', foldEmail(email)));

/**
 * The user with this email and password; null alike if either is wrong or the user may not sign in, after the same time. A text that is no
 * email address counts as a guess of the network alone.
 * @throws DomainError RATE_LIMITED after too many wrong passwords for the email, or for many emails from the network
 */
export async function checkPassword(
  db: Data,
  { email, password }: { email: string; password: string },
  { passwords, now, asker, tried }: SignInContext,
): Promise<User | null> {
  const isAddress = parseEmailKey(email) !== null;
  const counted = isAddress ? guessCounter(email) : hashToken(asker?.network ?? nameFor('network'));
  const { count, until } = await countGuess(db, counted, asker ?? null, now);
  if (isAddress && count > MAX_GUESSES) {
    const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000));
    throw tooManyPasswords(seconds);
  }
  const user = await findUserByEmail(db, email);
  if (user !== null) tried?.(user.id);
  const isRight = await passwords.verify(password, user?.password ?? null);
  if (!isRight || user === null || !isAddress) return null;
  await forgiveGuess(db, guessCounter(email));
  return db.prisma.user.findFirst({ where: { id: user.id, ...maySignIn } });
}

/** Forgets the wrong passwords that were tried for an email. */
export async function forgetGuesses(db: Data, email: string): Promise<void> {
  await db.prisma.signInGuesses.deleteMany({ where: { emailHash: guessCounter(email) } });
}

export async function hasOwner(db: Data): Promise<boolean> {
  return hasOwners(db);
}

/** Makes the token with which the first owner comes in; null if there is one, or an owner. */
export async function createWelcome(db: Data, now: Date): Promise<string | null> {
  if ((await hasOwner(db)) || (await hasWelcome(db, now))) return null;
  return createToken(db, 'WELCOME', {}, now);
}

const person = z.object({ name: z.unknown(), email: emailInput });

const welcomed = person.extend({ accountName: accountTitle.nullish() });

/**
 * Makes the first owner, of the oldest account, which may get another name for people.
 * @throws DomainError GONE, VALIDATION
 */
export async function welcome(
  db: Data,
  input: { token: string; name: unknown; email: unknown; password: unknown; accountName?: unknown },
  { passwords, now }: SignInContext,
): Promise<User> {
  // Before the password, whose hash takes long.
  if ((await findToken(db, 'WELCOME', input.token, now)) === null) throw linkEnded();
  const { name, email, accountName } = parseInput(welcomed, input);
  const password = await passwords.hash(requireGoodPassword(input.password, email));
  return db.transaction((tx) =>
    makeFirstOwner(tx, input.token, () => createUser(tx, { name, email }, password, now), now, accountName),
  );
}

/** The account that the first owner gets; null if there is none. */
export async function oldestAccount(db: Data): Promise<number | null> {
  const account = await db.prisma.account.findFirst({ orderBy: { id: 'asc' }, select: { id: true } });
  return account?.id ?? null;
}

/**
 * Makes a user the owner of the oldest account by a token.
 * @param title the name of the account for people; by default it stays
 * @throws DomainError GONE
 */
export async function makeFirstOwner(
  tx: Transaction,
  token: string,
  userOf: () => Promise<User>,
  now: Date,
  title?: string | null,
): Promise<User> {
  await takeToken(tx, 'WELCOME', token, now);
  const accountId = await oldestAccount(tx);
  if (accountId === null) throw linkEnded();
  await lockAccess(tx, { Account: [accountId] });
  if (await hasOwner(tx)) throw new DomainError('GONE', refusal('OWNER_EXISTS'));
  const user = await userOf();
  const who = { accountId, userId: user.id };
  await recordingChanges(tx, { ...who, keyId: null }, now, async (changing) => {
    await giveMembership(changing, who, 'OWNER', now);
    if (title != null) await renameAccount(changing, accountId, title);
  });
  return user;
}

/** Sets a new password, and ends the user's other sessions. @throws DomainError VALIDATION, UNAUTHENTICATED */
export async function changePassword(
  db: Data,
  session: SignedIn & { readonly user: User },
  given: unknown,
  { passwords, now }: SignInContext,
): Promise<void> {
  const { userId, user } = session;
  const password = await passwords.hash(requireGoodPassword(given, user.email));
  await bySession(db, session, now, async (tx) => {
    await tx.prisma.user.update({ where: { id: userId }, data: { password } });
    await endOthers(tx, session);
  });
}

/**
 * Mails a link for a new password, if the email has a user. It is counted for each email, so that the load tells nothing.
 * @throws DomainError RATE_LIMITED if too many are asked for
 */
export async function mailReset(
  db: Data,
  { sendMail, pageUrl }: Pick<Services, 'sendMail' | 'pageUrl'>,
  email: string,
  now: Date,
  acceptLanguage: string,
  asker: Asker | null = null,
): Promise<void> {
  const address = parseEmailKey(email);
  if (sendMail === null || address === null) return;
  if (!(await mayMail(db, ['reset', address], now, { asker }))) return;
  const user = await findUserByEmail(db, email);
  if (user === null || user.disabledAt !== null) return;
  const { id, emailKey, email: to } = user;
  const token = await db.transaction(async (tx) => {
    await lockAccess(tx, {}, { User: [id] });
    // The address may have been taken back from an intruder meanwhile.
    const same = await tx.prisma.user.findFirst({ where: { id, emailKey, disabledAt: null } });
    const data = { mailed: true };
    return same && createToken(tx, 'RESET', { userId: id, data, asker }, now);
  });
  if (token === null) return;
  const mail = composeMail('reset', acceptLanguage, { to, url: pageUrl('reset', token) });
  sendMail(mail, () => endToken(db, token));
}

/**
 * Changes the address that a user signs in with: where mail is set up, once it is confirmed there.
 * @returns whether it is changed already
 * @throws DomainError VALIDATION, CONFLICT, UNAUTHENTICATED; RATE_LIMITED after three in an hour
 */
export async function changeEmail(
  db: Data,
  { sendMail, pageUrl }: Pick<Services, 'sendMail' | 'pageUrl'>,
  session: SignedIn,
  given: unknown,
  now: Date,
  acceptLanguage: string,
): Promise<boolean> {
  const { userId } = session;
  const { email } = parseInput(z.object({ email: emailInput }), { email: given });
  if (sendMail === null) {
    await bySession(db, session, now, (tx) => setEmail(tx, session, email, null, now));
    return true;
  }
  const mayMailTo = () => mayMail(db, ['address', foldEmail(email)], now);
  if (!(await mayMail(db, ['user', userId], now)) || !(await mayMailTo())) {
    const message = 'Three mails were sent for you, or to this address, within an hour: wait.';
    throw new DomainError('RATE_LIMITED', message, [], AN_HOUR / 1000);
  }
  const begun = { userId, sessionId: session.id, data: { email } };
  const token = await bySession(db, session, now, (tx) => createToken(tx, 'EMAIL', begun, now));
  const mail = composeMail('confirmation', acceptLanguage, { to: email, url: pageUrl('confirm', token) });
  sendMail(mail, () => endToken(db, token));
  return false;
}

/** The address that a token of the kind EMAIL confirms. */
export function newEmailIn(data: string): string {
  return z.object({ email: emailInput }).parse(JSON.parse(data)).email;
}

/**
 * Sets a new address, in the session that asked for it or that replaced it: the mail may have gone to somebody else's address. The address
 * before is told, with a link that takes it back.
 * @throws DomainError GONE, CONFLICT, UNAUTHENTICATED
 */
export async function confirmEmail(
  db: Data,
  { sendMail }: Pick<Services, 'sendMail'>,
  session: SignedIn,
  token: string,
  now: Date,
  acceptLanguage: string,
): Promise<void> {
  await bySession(db, session, now, async (tx) => {
    if ((await findToken(tx, 'EMAIL', token, now))?.sessionId !== session.id) throw linkEnded();
    const { data } = await takeToken(tx, 'EMAIL', token, now);
    const email = newEmailIn(data);
    await setEmail(tx, session, email, sendMail === null ? null : { acceptLanguage }, now);
  });
}

/**
 * Sets a new password by a token, with what takeReset does.
 * @throws DomainError GONE, VALIDATION
 */
export async function resetPassword(
  db: Data,
  input: { token: string; password: unknown },
  { passwords, now }: SignInContext,
): Promise<User> {
  const found = await findToken(db, 'RESET', input.token, now);
  if (found?.user == null) throw linkEnded();
  const password = await passwords.hash(requireGoodPassword(input.password, found.user.email));
  return takeReset(db, input.token, { password }, now);
}

/**
 * Uses up the token of a reset, ends the user's sessions, removes passkeys and, with a new password, identities, and forgets the
 * wrong passwords that were tried.
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
    const { userId: id } = await takeToken(tx, 'RESET', token, now);
    await lockAccess(tx, { User: [id] });
    const user = await tx.prisma.user.update({ where: { id: id ?? 0 }, data });
    if (user.disabledAt !== null) throw new DomainError('GONE', refusal('DISABLED_USER'));
    // Somebody else may have added them.
    await tx.prisma.passkey.deleteMany({ where: { userId: user.id } });
    if (data.password) await tx.prisma.identity.deleteMany({ where: { userId: user.id } });
    await endAll(tx, user.id);
    await forgetGuesses(tx, user.email);
    return user;
  });
}

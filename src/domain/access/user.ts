import { z } from 'zod';
import type { Data, Transaction } from '../../db/database.ts';
import { isUniqueViolation } from '../../engine/db/errors.ts';
import { DomainError, invalidField } from '../../engine/rules/errors.ts';
import { nameSchema, parseInput, textSchema } from '../../engine/rules/input.ts';
import type { Refusal } from '../../engine/rules/refusal.ts';
import type { Membership, User } from '../../generated/sqlite/client.ts';
import { type Changing, OPERATOR, recordingChanges } from '../change/change.ts';
import { refusal } from '../rules.ts';
import { accountName } from './account.ts';
import { lockAccess } from './lock-access.ts';

export type { User };

const MAX_EMAIL = 254;

/** An email address that browsers accept, too, as it was typed but for spaces around it. */
export const emailInput = textSchema(1, MAX_EMAIL).pipe(
  z.email({ pattern: z.regexes.html5Email, ...refusal('EMAIL') }),
);

/** The form of an email address that is compared. */
export function foldEmail(email: string): string {
  return email.trim().toLowerCase();
}

/** That form of an email address; null for any other text. */
export function parseEmailKey(text: string): string | null {
  return emailInput.safeParse(text).success ? foldEmail(text) : null;
}

export const userName = nameSchema(100).describe('The name, 1 to 100 characters.');

/** The commonest passwords of at least ten characters, in lower case. */
const COMMON = new Set(
  `1234567890 12345678910 123456789a 0123456789 0987654321 9876543210 1111111111 0000000000 1q2w3e4r5t 1qaz2wsx3edc
qwertyuiop qwerty1234 qwerty12345 qwerty123456 qwertyuiop123 asdfghjkl1 zxcvbnm123 password12 password123 password1234
password12345 password123456 passw0rd123 p@ssw0rd123 p@ssword123 iloveyou123 iloveyou12 letmein123 letmein1234 welcome123
welcome1234 administrator admin12345 admin123456 changeme123 linkspace123 linkspace1 football123 baseball123 basketball
monkey12345 dragon12345 sunshine123 princess123 abcdefghij abcdefghijk abcd123456 abc1234567 abc123456789 a123456789
aa12345678 aaaaaaaaaa asdfghjkl123 google12345 q1w2e3r4t5 q1w2e3r4t5y6 1q2w3e4r5t6y superman123 trustno1234 test123456
testtest123 michelle123 computer123 starwars123 whatever123 mustang123 1234512345 1231231231 1212121212 5555555555
7777777777 8888888888 9999999999 6666666666 2222222222 3333333333 4444444444 secret1234 default123 master12345`.split(
    /\s/,
  ),
);

const SHORTEST = 10;
const LONGEST = 256;

/** A password that a user chooses, as it is typed. @throws DomainError VALIDATION */
export function requireGoodPassword(password: unknown, email: string): string {
  const wrong = (refused: Refusal) => invalidField('password', refused);
  if (password === undefined) throw wrong(refusal('REQUIRED'));
  if (typeof password !== 'string' || !password.isWellFormed()) throw wrong(refusal('TEXT'));
  const length = password.length > 2 * LONGEST ? password.length : [...password].length;
  if (length < SHORTEST || length > LONGEST)
    throw wrong(refusal('LENGTH_GIVEN', { min: SHORTEST, max: LONGEST, length }));
  const lower = password.toLowerCase();
  if (lower.trim() === foldEmail(email)) throw wrong(refusal('EMAIL_AS_PASSWORD'));
  if (COMMON.has(lower)) throw wrong(refusal('COMMON_PASSWORD'));
  return password;
}

/** Milliseconds for which the operator sees a user's former address. */
export const LISTED_FOR = 30 * 24 * 60 * 60 * 1000;

/** A condition for users who may be signed in: not disabled, nor members of disabled accounts alone. */
export const maySignIn = {
  disabledAt: null,
  OR: [
    { memberships: { none: {} } },
    { memberships: { some: { account: { disabledAt: null } } } },
  ] satisfies object[],
};

/** Begins the key of the email of a deleted user; no email address has a colon there. */
const DELETED = 'deleted:';

/** A condition for users who are not deleted. */
const notDeleted = { emailKey: { not: { startsWith: DELETED } } };

/** Users as the operator sees them, with their addresses of the last 30 days. Those who are deleted are left out. */
export async function listUsers(db: Data, now: Date) {
  const lately = { at: { gt: new Date(now.getTime() - LISTED_FOR) } };
  const users = await db.prisma.user.findMany({
    where: notDeleted,
    include: {
      memberships: { include: { account: true }, orderBy: { id: 'asc' } },
      addressChanges: { where: lately, orderBy: { id: 'desc' } },
    },
    orderBy: { id: 'asc' },
  });
  return users.map(({ id, name, email, createdAt, disabledAt, memberships, addressChanges }) => ({
    ...{ id, name, email, createdAt, disabledAt },
    formerEmails: addressChanges.map(({ email: former, at }) => ({ email: former, changedAt: at })),
    accounts: memberships.map(({ account, role }) => ({ account: account.name, role })),
  }));
}

/**
 * Makes sure that no link of another user can take an address back. Asked after the address was written, so that of two transactions
 * one sees the other's.
 * @throws DomainError CONFLICT
 */
export async function requireFreeEmail(
  { prisma }: Pick<Data, 'prisma'>,
  emailKey: string,
  userId: number,
  now: Date,
): Promise<void> {
  const where = { emailKey, userId: { not: userId }, undoUntil: { gt: now } };
  if ((await prisma.addressChange.findFirst({ where })) !== null) throw emailUnusable();
}

function emailUnusable(): DomainError {
  return new DomainError('CONFLICT', refusal('EMAIL_UNUSABLE'));
}

/** A handler for the error of a unique column. @throws DomainError CONFLICT */
export function isEmailTaken(error: unknown): never {
  throw isUniqueViolation(error) ? emailUnusable() : error;
}

/**
 * A new user.
 * @throws an error of a unique column if the email has one already; DomainError CONFLICT if another user can take the email back
 */
export async function createUser(
  db: Data,
  input: { name: unknown; email: string },
  password: string | null,
  now: Date,
): Promise<User> {
  const { name } = parseInput(z.object({ name: userName }), { name: input.name });
  const { email } = input;
  const emailKey = foldEmail(email);
  const user = await db.prisma.user.create({ data: { name, email, emailKey, password, createdAt: now } });
  await requireFreeEmail(db, emailKey, user.id, now);
  return user;
}

export async function findUserByEmail(db: Data, email: string): Promise<User | null> {
  return db.prisma.user.findUnique({ where: { emailKey: foldEmail(email) } });
}

/** The user with an id who is not deleted; null if there is none. */
export async function findUserById(db: Data, id: number): Promise<User | null> {
  return db.prisma.user.findFirst({ where: { id, ...notDeleted } });
}

/** The columns of a deleted user: what changes name stays, and nothing says who it was. */
export const deletedUser = (id: number, now: Date) => ({
  ...{ name: 'Deleted user', email: `${DELETED}${id}`, emailKey: `${DELETED}${id}` },
  ...{ password: null, disabledAt: now },
});

/** Ends all of a user's sessions, but perhaps one, on every process within a second. */
export async function endSessions(db: Data, userId: number, except = 0): Promise<void> {
  await db.prisma.session.deleteMany({ where: { userId, id: { not: except } } });
}

/** The number of sessions that one transaction ends for the operator. */
const SIGNED_OUT_AT_ONCE = 500;

/** Ends all sessions of a user for the operator, some in each transaction, and returns how many. */
export async function signOut(db: Data, userId: number, now: Date): Promise<number> {
  const endSome = () =>
    recordingChanges(db, OPERATOR, now, async (changing) => {
      const { session } = changing.tx.prisma;
      await lockAccess(changing.tx, { User: [userId] });
      const some = await session.findMany({
        where: { userId },
        take: SIGNED_OUT_AT_ONCE,
        select: { id: true },
      });
      const { count } = await session.deleteMany({ where: { id: { in: some.map(({ id }) => id) } } });
      if (count > 0) await recordOfUser(changing, userId, ['sessions']);
      return count;
    });
  for (let ended = 0; ; ) {
    const count = await endSome();
    ended += count;
    if (count < SIGNED_OUT_AT_ONCE) return ended;
  }
}

/** Ends all sessions of all users for the operator, some in each transaction, and returns how many. */
export async function signOutAll(db: Data, now: Date): Promise<number> {
  let ended = 0;
  for (;;) {
    const some = await db.prisma.session.findMany({
      ...{ orderBy: { id: 'asc' }, take: SIGNED_OUT_AT_ONCE, select: { userId: true } },
    });
    if (some.length === 0) return ended;
    for (const userId of new Set(some.map((one) => one.userId))) ended += await signOut(db, userId, now);
  }
}

/** Ends all of a user's sessions, and the links that work once. */
export async function endAll(db: Data, userId: number): Promise<void> {
  await endSessions(db, userId);
  await db.prisma.oneTimeToken.deleteMany({ where: { userId } });
}

/** Ends the links of a user that take an address back. */
export async function endUndos({ prisma }: Pick<Data, 'prisma'>, userId: number): Promise<void> {
  const data = { undoUntil: null, hash: null, token: null };
  await prisma.addressChange.updateMany({ where: { userId, undoUntil: { not: null } }, data });
}

/** A session that changes how its user signs in. */
export interface Changer {
  readonly id: number;
  readonly userId: number;
}

/** Ends all but one session, and what they have begun. Links for a new password stay: by them, a user throws out an intruder. */
export async function endOthers(tx: Transaction, { id, userId }: Changer): Promise<void> {
  await endSessions(tx, userId, id);
  await tx.prisma.oneTimeToken.deleteMany({ where: { userId, kind: { not: 'RESET' } } });
}

/** Records that the operator changed something of a user, in each of their accounts. */
export async function recordOfUser(
  { tx, record }: Changing,
  userId: number,
  fields: readonly string[],
): Promise<void> {
  const members = await tx.prisma.membership.findMany({ where: { userId }, orderBy: { id: 'asc' } });
  for (const { id, accountId: owner } of members) await record('UPDATED', 'MEMBER', [id], fields, { owner });
}

/** Disables a user for the operator, or enables them again. */
export async function setDisabled(
  db: Data,
  userId: number,
  disabledAt: Date | null,
  now = disabledAt ?? new Date(),
): Promise<void> {
  await recordingChanges(db, OPERATOR, now, async (changing) => {
    const { tx } = changing;
    await lockAccess(tx, { User: [userId] });
    await tx.prisma.user.update({ where: { id: userId }, data: { disabledAt } });
    await recordOfUser(changing, userId, ['disabled']);
    if (disabledAt === null) return;
    await endAll(tx, userId);
    await endUndos(tx, userId);
  });
}

/** A user's memberships in accounts that are not disabled, with the names of the accounts, the oldest first. */
export async function findMemberships(
  db: Data,
  userId: number,
): Promise<(Membership & { account: { id: number; name: string } })[]> {
  const found = await db.prisma.membership.findMany({
    where: { userId, account: { disabledAt: null } },
    include: { account: true },
    orderBy: { id: 'asc' },
  });
  return found.map(({ account, ...membership }) => ({
    ...membership,
    account: { id: account.id, name: accountName(account) },
  }));
}

/** @throws DomainError VALIDATION */
export async function updateName(db: Data, userId: number, given: unknown): Promise<void> {
  const { name } = parseInput(z.object({ name: userName }), { name: given });
  await db.prisma.user.update({ where: { id: userId }, data: { name } });
}

import type { Data, Transaction } from '../../db/database.ts';
import { isUniqueViolation } from '../../engine/db/errors.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import { parseId, plainLine } from '../../engine/rules/input.ts';
import { hashToken } from './actor.ts';
import { joinByInvitation, lockInvitation } from './invitation.ts';
import { lockAccess } from './lock-access.ts';
import { givenAccounts, setGivenMemberships } from './member.ts';
import { findToken } from './one-time-token.ts';
import { isAtLeast, type Role, type RoleRule } from './role.ts';
import { bySession } from './session.ts';
import { makeFirstOwner, oldestAccount } from './sign-in.ts';
import { createUser, emailInput, endOthers, findUserByEmail, foldEmail, type User } from './user.ts';

/**
 * The value of a claim by its name, which may be a path such as `realm_access.roles`: a name with the dots in it comes first.
 */
export function readClaim(claims: object, path: string): unknown {
  if (Object.hasOwn(claims, path)) return Object.entries(claims).find(([name]) => name === path)?.[1];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const inner = readClaim(claims, path.slice(0, dot));
    if (typeof inner !== 'object' || inner === null) continue;
    const found = readClaim(inner, path.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Why a sign-in with the OpenID provider fails, for the page that tells the person; docs/people.md explains each. */
export type Fault =
  | ('PROVIDER_DOWN' | 'REFUSED' | 'EXPIRED' | 'FAILED' | 'UNAVAILABLE')
  | ('NO_ROLE' | 'NO_EMAIL' | 'EMAIL_TAKEN' | 'DISABLED')
  | ('LINK_ENDED' | 'OTHER_EMAIL')
  | ('LINKED_ELSEWHERE' | 'SIGN_IN_FIRST' | 'SIGN_IN_AGAIN');

export class SignInFault extends Error {
  readonly fault: Fault;
  /** Its details for the log, beside the fault. */
  readonly details: object | undefined;

  constructor(fault: Fault, { details, ...options }: ErrorOptions & { details?: object } = {}) {
    super(fault, options);
    this.fault = fault;
    this.details = details;
  }
}

/** A person as an OpenID provider describes them. */
export interface ProvidedPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string | null;
  readonly name: string | null;
  /** The values of the claim with roles. */
  readonly values: readonly string[];
}

/** The ids of accounts by what rules call them, which is an id or the operator's name. */
async function findAccounts(db: Data, rules: readonly RoleRule[]): Promise<Map<string, number[]>> {
  if (rules.length === 0) return new Map();
  const asked = [...new Set(rules.map(({ account }) => account))];
  const ids = asked.flatMap((account) => parseId(account) ?? []);
  const found = await db.prisma.account.findMany({
    where: { OR: [{ name: { in: asked } }, { id: { in: ids } }] },
    select: { id: true, name: true },
  });
  const isCalled = (account: string) => (one: { id: number; name: string }) =>
    one.name === account || String(one.id) === account;
  return new Map(asked.map((account) => [account, found.filter(isCalled(account)).map(({ id }) => id)]));
}

/** The accounts of rules that do not exist, or that are the name of one account and the id of another. */
export async function unclearAccounts(db: Data, rules: readonly RoleRule[]): Promise<string[]> {
  const accounts = [...(await findAccounts(db, rules))].filter(([, ids]) => ids.length !== 1);
  if (accounts.length === 0 || (await db.prisma.account.count()) > 0) return accounts.map(([name]) => name);
  // The first start is about to make this account.
  return accounts.map(([name]) => name).filter((name) => name !== 'default' && name !== '1');
}

/** The highest role for each account. */
async function findRoles(db: Data, rules: readonly RoleRule[], values: readonly string[]) {
  const met = rules.filter(({ value }) => values.includes(value));
  const accounts = await findAccounts(db, met);
  const roles = new Map<number, Role>();
  for (const { account, role } of met) {
    const [id, ...others] = accounts.get(account) ?? [];
    if (id === undefined || others.length > 0) continue;
    const before = roles.get(id);
    if (before === undefined || isAtLeast(role, before)) roles.set(id, role);
  }
  return roles;
}

async function findIdentity(db: Data, { issuer, subject }: ProvidedPerson) {
  const where = { issuer_subject: { issuer, subject } };
  return db.prisma.identity.findUnique({ where, include: { user: true } });
}

/** The email that the provider gives, if it is one. */
const parseEmail = ({ email }: ProvidedPerson) => emailInput.safeParse(email).data ?? null;

const MAX_NAME = 100;

function chooseName({ name }: ProvidedPerson, email: string): string {
  const given = [...plainLine((name ?? '').toWellFormed()).trim()].slice(0, MAX_NAME);
  return given.join('').trim() || email.slice(0, MAX_NAME);
}

/** @throws SignInFault */
async function newcomer(tx: Transaction, person: ProvidedPerson, mayCome: boolean, now: Date): Promise<User> {
  const email = parseEmail(person);
  if (!mayCome) throw new SignInFault('NO_ROLE');
  if (email === null) throw new SignInFault('NO_EMAIL');
  const user = await createUser(tx, { name: chooseName(person, email), email }, null, now);
  await addIdentity(tx, person, user.id, now);
  return user;
}

async function addIdentity(db: Data, { issuer, subject }: ProvidedPerson, userId: number, now: Date) {
  await db.prisma.identity.create({ data: { issuer, subject, userId, createdAt: now } });
}

/** The account that somebody joins with the token of an invitation, or of the first owner's link. */
async function accountOfLink(db: Data, token: string): Promise<number | null> {
  const found = await db.prisma.invitation.findUnique({ where: { hash: hashToken(token) } });
  return found?.accountId ?? oldestAccount(db);
}

/**
 * Signs a person in with the token of the first owner's link or of an invitation.
 * @throws SignInFault OTHER_EMAIL if the invitation is for another address
 */
async function comeWith(
  tx: Transaction,
  token: string,
  person: ProvidedPerson,
  known: User | null,
  now: Date,
) {
  const knownOrNew = async () => known ?? newcomer(tx, person, true, now);
  if ((await findToken(tx, 'WELCOME', token, now)) !== null)
    return makeFirstOwner(tx, token, knownOrNew, now);
  const by = { userId: known?.id ?? null, session: null };
  const invited = await lockInvitation(tx, token, by, now);
  const emailKey = known ? known.emailKey : foldEmail(parseEmail(person) ?? '');
  if (emailKey !== invited.emailKey) throw new SignInFault('OTHER_EMAIL');
  const user = await knownOrNew();
  await joinByInvitation(tx, invited, user.id, now);
  return user;
}

/**
 * The user of a person who signs in with the provider, with the memberships that it gives. Identities belong to users by
 * issuer and subject, never by email.
 * @param token of the link with which the person came: the first owner's, or an invitation's
 * @throws SignInFault
 */
export async function signInWithIdentity(
  db: Data,
  person: ProvidedPerson,
  { rules, token }: { rules: readonly RoleRule[]; token: string | null },
  now: Date,
): Promise<User> {
  const signIn = () =>
    db.transaction(async (tx) => {
      // Before the identity: if the same person comes at the same time, both are there or neither.
      const isTaken = (await findUserByEmail(tx, parseEmail(person) ?? '')) !== null;
      const known = (await findIdentity(tx, person))?.user ?? null;
      // Only the user with that email may link an identity to themselves.
      if (known === null && isTaken) throw new SignInFault('EMAIL_TAKEN');
      const roles = await findRoles(tx, rules, person.values);
      await lockAccess(tx, {
        Account: [
          ...(await givenAccounts(tx, known?.id ?? 0, roles)),
          token === null ? null : await accountOfLink(tx, token),
        ],
        User: [known?.id ?? null],
      });
      const isDisabled = known && (await findIdentity(tx, person))?.user.disabledAt !== null;
      if (isDisabled) throw new SignInFault('DISABLED');
      const user =
        token === null
          ? (known ?? (await newcomer(tx, person, roles.size > 0, now)))
          : await comeWith(tx, token, person, known, now);
      await setGivenMemberships(tx, user.id, roles, now);
      return user;
    });
  return againIfTaken(signIn).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'GONE') throw new SignInFault('LINK_ENDED');
    if (error instanceof DomainError && error.code === 'CONFLICT') throw new SignInFault('EMAIL_TAKEN');
    throw error;
  });
}

/** Does the work again if the same person came at the same time, and is known now. */
function againIfTaken<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    if (isUniqueViolation(error)) return work();
    throw error;
  });
}

/**
 * Links an identity to the user who is signed in, and ends the user's other sessions.
 * @throws SignInFault; DomainError UNAUTHENTICATED
 */
export async function linkIdentity(
  db: Data,
  person: ProvidedPerson,
  session: { readonly id: number; readonly userId: number },
  now: Date,
): Promise<void> {
  const { userId } = session;
  await againIfTaken(() =>
    bySession(db, session, now, async (tx) => {
      const known = await findIdentity(tx, person);
      if (known !== null && known.userId !== userId) throw new SignInFault('LINKED_ELSEWHERE');
      if (known !== null) return;
      await addIdentity(tx, person, userId, now);
      await endOthers(tx, session);
    }),
  );
}

import { z } from 'zod';
import type { Data, Transaction } from '../../db/database.ts';
import { DomainError, invalidField, notFound } from '../../engine/rules/errors.ts';
import { parseInput } from '../../engine/rules/input.ts';
import type { Invitation } from '../../generated/sqlite/client.ts';
import { recordingChanges } from '../change/change.ts';
import { refusal } from '../rules.ts';
import type { Services } from '../services.ts';
import { accountName } from './account.ts';
import {
  type Actor,
  actorFor,
  generateToken,
  hashToken,
  owned,
  requirePermission,
  requireRole,
} from './actor.ts';
import { findUndo } from './address-change.ts';
import { lockAccess } from './lock-access.ts';
import { composeMail, mayMail } from './mails.ts';
import { giveMembership } from './member.ts';
import { findToken, linkEnded } from './one-time-token.ts';
import { requireRoom } from './ownership.ts';
import { requireRecentSignIn } from './recent-sign-in.ts';
import { lockCaller } from './rights.ts';
import { isAtLeast, isRole, permissionsOf, type Role, roleInput } from './role.ts';
import { liveSessions, sessionEnded } from './session.ts';
import { hasOwner, newEmailIn, type SignInContext } from './sign-in.ts';
import {
  createUser,
  emailInput,
  findUserByEmail,
  foldEmail,
  requireGoodPassword,
  type User,
  userName,
} from './user.ts';

export type { Invitation };

const LIFETIME = 7 * 24 * 60 * 60 * 1000;
/** Maximum number of invitations of an account, including ended ones, and of mails for them in an hour. */
export const MAX_INVITATIONS = 1_000;
const MAX_MAILED = 100;

export const invitationInput = z.object({
  email: emailInput.describe('The email address that the invitation is for.'),
  role: roleInput('What the person will be, at most what you are.'),
});

/** An invitation and the token of its link, which only this has. */
export interface NewInvitation {
  readonly invitation: Invitation;
  readonly token: string;
}

async function create(
  db: Data,
  actor: Actor,
  { email, role }: { email: string; role: Role },
  now: Date,
): Promise<NewInvitation> {
  const { accountId, memberId: inviterId, keyId } = actor;
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    const caller = await lockCaller(tx, actor, now, { alone: true });
    requirePermission(caller, 'PEOPLE');
    requireRole(caller, role);
    const emailKey = foldEmail(email);
    const last = await tx.prisma.invitation.findUnique({
      where: { accountId_emailKey: { accountId, emailKey } },
    });
    if (last) {
      if (last.expiresAt > now && isRole(last.role)) {
        requireRole(caller, last.role);
        requireRecentSignIn(actor, 'inviteMember', now, { roles: [last.role] });
      }
      // None is left if it is accepted at this moment.
      const { count } = await tx.prisma.invitation.deleteMany({ where: { id: last.id } });
      if (count > 0) await record('DELETED', 'INVITATION', [last.id]);
    }
    const count = () => tx.prisma.invitation.count({ where: { accountId } });
    const noRoom = () => invalidField('email', refusal('INVITATIONS_OF_ACCOUNT', { max: MAX_INVITATIONS }));
    await requireRoom(tx, accountId, MAX_INVITATIONS, count, noRoom);
    const token = generateToken();
    // One that a key makes lasts no longer than the key.
    const key = keyId === null ? null : await tx.prisma.apiKey.findUnique({ where: { id: keyId } });
    const end = now.getTime() + LIFETIME;
    const expiresAt = new Date(Math.min(end, key?.expiresAt?.getTime() ?? end));
    const hash = hashToken(token);
    const invitation = await tx.prisma.invitation.create({
      data: { accountId, inviterId, keyId, email, emailKey, role, hash, createdAt: now, expiresAt },
    });
    await record('CREATED', 'INVITATION', [invitation.id], ['email', 'role']);
    return { invitation, token };
  });
}

/**
 * Invites a person, in place of an earlier invitation. Nothing tells whether the email has a user.
 * @throws DomainError VALIDATION, FORBIDDEN
 */
export async function inviteMember(
  db: Data,
  actor: Actor,
  { sendMail, pageUrl }: Pick<Services, 'sendMail' | 'pageUrl'>,
  input: unknown,
  now: Date,
  acceptLanguage: string,
): Promise<NewInvitation> {
  const invited = parseInput(invitationInput, input);
  requireRecentSignIn(actor, 'inviteMember', now, { roles: [invited.role] });
  const made = await create(db, actor, invited, now);
  const { accountId } = actor;
  // First: what is not sent does not use up the mails of the address.
  const mayMailNow = async () =>
    (await mayMail(db, ['account', accountId], now, { max: MAX_MAILED })) &&
    (await mayMail(db, ['address', foldEmail(invited.email)], now));
  if (sendMail && (await mayMailNow())) {
    const found = await db.prisma.membership.findUnique({
      where: { id: actor.memberId ?? 0 },
      include: { account: true, user: true },
    });
    const account =
      found?.account ?? (await db.prisma.account.findUniqueOrThrow({ where: { id: accountId } }));
    const names = { account: accountName(account), inviter: found?.user.name ?? 'Linkspace' };
    const url = pageUrl('accept', made.token);
    sendMail(composeMail('invitation', acceptLanguage, { to: invited.email, url, ...names }));
  }
  return made;
}

/** Invites a person for the operator. @throws DomainError VALIDATION */
export async function inviteByOperator(
  db: Data,
  accountId: number,
  input: unknown,
  now: Date,
): Promise<NewInvitation> {
  const operator = {
    ...actorFor(accountId, null),
    role: 'OWNER',
    permissions: permissionsOf('OWNER'),
  } as const;
  return create(db, operator, parseInput(invitationInput, input), now);
}

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function revokeInvitation(db: Data, actor: Actor, id: string, now: Date): Promise<number> {
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    const caller = await lockCaller(tx, actor, now, { alone: true });
    requirePermission(caller, 'PEOPLE');
    const where = owned(actor, id);
    const found = where && (await tx.prisma.invitation.findUnique({ where }));
    if (!found) throw notFound('invitation');
    if (isRole(found.role)) requireRole(caller, found.role);
    requireRecentSignIn(actor, 'revokeInvitation', now, { roles: [found.role] });
    const { count } = await tx.prisma.invitation.deleteMany({ where: { id: found.id } });
    if (count === 0) throw notFound('invitation');
    await record('DELETED', 'INVITATION', [found.id]);
    return found.id;
  });
}

/**
 * An invitation that can be accepted: its inviter still has a role that may invite to its role.
 * @throws DomainError GONE
 */
export async function openInvitation(db: Data, token: string, now: Date) {
  const found = await db.prisma.invitation.findUnique({
    where: { hash: hashToken(token) },
    include: { account: true, key: true, inviter: { include: { user: true } } },
  });
  if (found === null || found.expiresAt <= now || !isRole(found.role)) throw linkEnded();
  if (found.account.disabledAt !== null) throw linkEnded();
  // Earlier versions let an invitation last longer than its key.
  const { key } = found;
  if (key?.revokedAt || (key?.expiresAt && key.expiresAt <= now)) throw linkEnded();
  const { inviter, role } = found;
  const mayInvite =
    inviter === null ||
    (isRole(inviter.role) &&
      inviter.user.disabledAt === null &&
      isAtLeast(inviter.role, 'ADMIN') &&
      isAtLeast(inviter.role, role));
  if (!mayInvite) throw linkEnded();
  return { ...found, role };
}

/**
 * Locks what an invitation depends on, and who accepts it.
 * @returns the invitation, if it can be accepted still
 * @throws DomainError GONE, UNAUTHENTICATED
 */
export async function lockInvitation(
  tx: Transaction,
  token: string,
  by: { readonly userId: number | null; readonly session: { readonly id: number } | null },
  now: Date,
) {
  const { accountId, inviterId, keyId, inviter } = await openInvitation(tx, token, now);
  const { userId, session } = by;
  await lockAccess(
    tx,
    { Account: [accountId], User: [userId] },
    {
      ...{ User: [inviter?.userId ?? null], Session: [session?.id ?? null] },
      ...{ Membership: [inviterId], ApiKey: [keyId] },
    },
  );
  const own = { id: session?.id ?? 0, userId: userId ?? 0, ...liveSessions(now) };
  if (session !== null && (await tx.prisma.session.findFirst({ where: own })) === null) throw sessionEnded();
  // Again: the inviter may have got a lower role meanwhile.
  return openInvitation(tx, token, now);
}

/**
 * Describes the purpose of a link by its token, without using it up. Anyone with the token may read this. The response
 * does not reveal whether an invitation's address has a user. Only the user sees their own new address.
 * @param userId the signed-in user; null for nobody
 * @throws DomainError GONE
 */
export async function describeLink(db: Data, token: string, userId: number | null, now: Date) {
  const found = await findToken(db, ['WELCOME', 'RESET', 'EMAIL'], token, now);
  const change = found === null ? await findUndo(db, token, now) : null;
  if (change !== null) return { kind: 'UNDO', email: change.email, expiresAt: change.undoUntil };
  if (found === null) {
    const { account, inviter, email, role, expiresAt } = await openInvitation(db, token, now);
    return {
      kind: 'INVITATION',
      ...{ account: accountName(account), inviter: inviter?.user.name ?? null, role, email, expiresAt },
    };
  }
  const { kind, user, expiresAt } = found;
  if (user?.disabledAt || (kind === 'WELCOME' && (await hasOwner(db)))) throw linkEnded();
  const isOwn = kind === 'EMAIL' && found.userId === userId;
  const email = kind === 'RESET' ? user?.email : isOwn ? newEmailIn(found.data) : undefined;
  return { kind, email, expiresAt };
}

/**
 * Accepts an invitation: as the user who is signed in, or as a new user, who gets a password. It never sets the password of an
 * existing user.
 * @param user who is signed in; null for nobody
 * @param session the user's session
 * @returns the user, and the account that they joined
 * @throws DomainError GONE; FORBIDDEN for another email; CONFLICT if the email has a user, who must sign in; VALIDATION
 */
export async function acceptInvitation(
  db: Data,
  input: { token: string; name?: unknown; email?: unknown; password?: unknown },
  user: User | null,
  { passwords, now }: SignInContext,
  session: { readonly id: number } | null = null,
): Promise<{ user: User; accountId: number }> {
  const invited = await openInvitation(db, input.token, now);
  if (user === null && foldEmail(String(input.email ?? '')) !== invited.emailKey)
    throw new DomainError('FORBIDDEN', refusal('INVITED_OTHER'));
  if (user !== null && user.emailKey !== invited.emailKey)
    throw new DomainError('FORBIDDEN', refusal('INVITED_OTHER'));
  let password: string | null = null;
  if (user === null) {
    // First, so that wrong input does not tell whether the email has a user.
    parseInput(z.object({ name: userName }), input);
    const given = requireGoodPassword(input.password, invited.email);
    if ((await findUserByEmail(db, invited.email)) !== null)
      throw new DomainError('CONFLICT', refusal('EMAIL_HAS_USER'));
    password = await passwords.hash(given);
  }
  return db.transaction(async (tx) => {
    const open = await lockInvitation(tx, input.token, { userId: user?.id ?? null, session }, now);
    const member = user ?? (await createUser(tx, { name: input.name, email: invited.email }, password, now));
    await joinByInvitation(tx, open, member.id, now);
    return { user: member, accountId: invited.accountId };
  });
}

/** Uses up an invitation, and makes a user a member. @throws DomainError GONE if it was accepted meanwhile */
export async function joinByInvitation(
  outer: Transaction,
  invited: { id: number; accountId: number; role: Role },
  userId: number,
  now: Date,
): Promise<void> {
  const { id: invitationId, accountId, role } = invited;
  const { count } = await outer.prisma.invitation.deleteMany({ where: { id: invitationId } });
  if (count === 0) throw linkEnded();
  await recordingChanges(outer, { accountId, keyId: null, userId }, now, async (changing) => {
    await changing.record('DELETED', 'INVITATION', [invitationId]);
    await giveMembership(changing, { accountId, userId }, role, now);
  });
}

import { z } from 'zod';
import type { Data, Transaction } from '../../db/database.ts';
import { is, isLater, isNull } from '../../engine/lists/conditions.ts';
import type { ListReader } from '../../engine/lists/list-reader.ts';
import {
  byCreation,
  type Connection,
  type EdgesInput,
  readConnection,
} from '../../engine/lists/pagination.ts';
import { invalidField, notFound } from '../../engine/rules/errors.ts';
import { parseId, parseInput } from '../../engine/rules/input.ts';
import type { ApiKey, Invitation, Membership } from '../../generated/sqlite/client.ts';
import { type Changing, OPERATOR, recordingChanges } from '../change/change.ts';
import { refusal } from '../rules.ts';
import { disableWebhooks, webhooksBy } from '../webhook/makers.ts';
import { type Actor, owned, requirePermission, requireRole } from './actor.ts';
import { revokeKeys } from './api-key.ts';
import { lockAccess } from './lock-access.ts';
import { requireRecentSignIn } from './recent-sign-in.ts';
import { lockCaller } from './rights.ts';
import { isAtLeast, isRole, type Role, roleInput } from './role.ts';
import { endSessions } from './user.ts';

export type { Membership };

/** A slice of the account's members, open invitations or keys that are not revoked, by cursor, oldest first. */
export function peopleConnection<Row extends Membership | Invitation | ApiKey>(
  lists: ListReader,
  { accountId }: Actor,
  table: 'Membership' | 'Invitation' | 'ApiKey',
  input: EdgesInput,
  now: Date,
): Promise<Connection<Row>> {
  const list = byCreation(table, is('accountId', accountId));
  const open = { Membership: [], Invitation: [isLater('expiresAt', now)], ApiKey: [isNull('revokedAt')] };
  return readConnection(lists, { ...list, where: [...list.where, ...open[table]] }, input);
}

/** The account's members, invitations or keys with these ids. */
export async function peopleWithIds(
  { prisma }: Data,
  { accountId }: Actor,
  table: 'membership' | 'invitation' | 'apiKey',
  ids: readonly number[],
): Promise<{ id: number }[]> {
  const where = { id: { in: [...ids] }, accountId };
  if (table === 'membership') return prisma.membership.findMany({ where });
  return table === 'invitation' ? prisma.invitation.findMany({ where }) : prisma.apiKey.findMany({ where });
}

export const updateMemberInput = z.object({ role: roleInput('The new role, at most your own.') });

/** A member of the account, which is locked. */
async function findMember(tx: Transaction, actor: Actor, id: string) {
  const where = owned(actor, id);
  const member = where && (await tx.prisma.membership.findUnique({ where }));
  if (!member || !isRole(member.role)) throw notFound('member');
  return { ...member, role: member.role };
}

/**
 * True if the member is the account's last enabled owner. The locked account prevents two last owners from leaving at
 * once.
 */
async function isLastOwner(tx: Transaction, { accountId, id, role }: Membership): Promise<boolean> {
  if (role !== 'OWNER') return false;
  const another = { accountId, role: 'OWNER', id: { not: id }, user: { disabledAt: null } };
  return (await tx.prisma.membership.findFirst({ where: another })) === null;
}

/** @throws DomainError VALIDATION if the member is the last owner */
export async function requireAnotherOwner(tx: Transaction, member: Membership): Promise<void> {
  if (await isLastOwner(tx, member)) throw invalidField('id', refusal('LAST_OWNER'));
}

/**
 * Ends the sessions of somebody who loses a role, but not those of a member of another account, too: that one's people decide there.
 * Every process looks up the roles of a session anew, and ends its subscriptions.
 */
async function endMemberSessions(
  tx: Transaction,
  { id, userId }: Membership,
  except?: number,
): Promise<void> {
  const elsewhere = await tx.prisma.membership.findFirst({ where: { userId, id: { not: id } } });
  if (elsewhere === null) await endSessions(tx, userId, except);
}

/** @param session the one that stays, as its user changes the role */
async function changeRole(
  { tx, record }: Changing,
  member: Membership,
  data: { role: Role; isGiven: boolean },
  session?: number,
): Promise<Membership> {
  const { id, role: before } = member;
  // First, as all transactions lock sessions before memberships.
  if (isRole(before) && !isAtLeast(data.role, before)) await endMemberSessions(tx, member, session);
  const changed = await tx.prisma.membership.update({ where: { id }, data });
  await record('UPDATED', 'MEMBER', [id], ['role']);
  return changed;
}

/** Makes a user a member with a role, or gives a member that role, unless they have a higher one. */
export async function giveMembership(
  { tx, record }: Changing,
  who: { accountId: number; userId: number },
  role: Role,
  now: Date,
): Promise<void> {
  const where = { accountId_userId: who };
  const before = await tx.prisma.membership.findUnique({ where });
  if (before && isRole(before.role) && isAtLeast(before.role, role)) return;
  const { id } = await tx.prisma.membership.upsert({
    where,
    create: { ...who, role, createdAt: now },
    update: { role, isGiven: false },
  });
  await record(before ? 'UPDATED' : 'CREATED', 'MEMBER', [id], ['role']);
}

/** Ends a membership, with its invitations and keys. */
export async function endMembership({ tx, record }: Changing, member: Membership, now: Date): Promise<void> {
  const { id } = member;
  await endMemberSessions(tx, member);
  await lockAccess(tx, { Membership: [id] });
  const keys = await revokeKeys(tx, { makerId: id }, now);
  await tx.prisma.membership.delete({ where: { id } });
  await record('DELETED', 'MEMBER', [id]);
  await record('DELETED', 'API_KEY', keys);
}

/**
 * Gives a member another role.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION
 */
export async function updateMember(
  db: Data,
  actor: Actor,
  id: string,
  input: unknown,
  now: Date,
): Promise<Membership> {
  const { role } = parseInput(updateMemberInput, input);
  return recordingChanges(db, actor, now, async (changing) => {
    const { tx } = changing;
    const caller = await lockCaller(tx, actor, now, { alone: true, member: parseId(id) });
    const member = await findMember(tx, caller, id);
    requirePermission(caller, 'PEOPLE');
    requireRole(caller, member.role);
    requireRole(caller, role);
    requireRecentSignIn(actor, 'updateMember', now, { roles: [member.role, role] });
    if (member.role === role) return member;
    await requireAnotherOwner(tx, member);
    return changeRole(changing, member, { role, isGiven: false }, actor.session?.id);
  });
}

/**
 * Ends a membership, with its invitations and keys.
 * @param disablesWebhooks whether those are disabled that the person or a key of theirs made, or whose URL or secret they set last
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION
 */
export async function removeMember(
  db: Data,
  actor: Actor,
  id: string,
  now: Date,
  disablesWebhooks = false,
): Promise<number> {
  return recordingChanges(db, actor, now, async (changing) => {
    const caller = await lockCaller(changing.tx, actor, now, { alone: true, member: parseId(id) });
    const member = await findMember(changing.tx, caller, id);
    // Everybody may leave; the key of a member cannot do it for them.
    if (member.id !== caller.memberId || caller.session === null) requirePermission(caller, 'PEOPLE');
    requireRole(caller, member.role);
    requireRecentSignIn(actor, 'removeMember', now, { roles: [member.role] });
    await requireAnotherOwner(changing.tx, member);
    if (disablesWebhooks) {
      requirePermission(caller, 'WEBHOOKS');
      await disableWebhooks(changing, actor.accountId, webhooksBy({ users: [member.userId] }), now);
    }
    await endMembership(changing, member, now);
    return member.id;
  });
}

async function setGivenMembership(
  changing: Changing,
  who: { accountId: number; userId: number },
  role: Role | null,
  now: Date,
): Promise<void> {
  const { tx, record } = changing;
  await lockAccess(tx, { Account: [who.accountId], User: [who.userId] });
  const member = await tx.prisma.membership.findUnique({ where: { accountId_userId: who } });
  if (member === null && role !== null) {
    const data = { ...who, role, isGiven: true, createdAt: now };
    const { id } = await tx.prisma.membership.create({ data });
    await record('CREATED', 'MEMBER', [id], ['role']);
  }
  if (!member?.isGiven || member.role === role || (await isLastOwner(tx, member))) return;
  if (role === null) await endMembership(changing, member, now);
  else await changeRole(changing, member, { role, isGiven: true });
}

/** The accounts whose memberships of a user the OpenID provider gives or gave. */
export async function givenAccounts(
  db: Data,
  userId: number,
  roles: ReadonlyMap<number, Role>,
): Promise<number[]> {
  const given = await db.prisma.membership.findMany({ where: { userId, isGiven: true } });
  return [...new Set([...roles.keys(), ...given.map(({ accountId }) => accountId)])];
}

/**
 * Gives a user the roles of the OpenID provider, by account, and ends the memberships that it no longer gives. Those that
 * people gave stay as they are, and so does the last owner of an account.
 */
export async function setGivenMemberships(
  db: Data,
  userId: number,
  roles: ReadonlyMap<number, Role>,
  now: Date,
): Promise<void> {
  for (const accountId of await givenAccounts(db, userId, roles))
    await recordingChanges(db, { ...OPERATOR, accountId }, now, (changing) =>
      setGivenMembership(changing, { accountId, userId }, roles.get(accountId) ?? null, now),
    );
}

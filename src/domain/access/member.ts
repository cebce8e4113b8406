import { z } from 'zod';
import type { Data, Transaction } from '../../db/database.ts';
import { is, isNull } from '../../db/reading/keyset.ts';
import type { ListReader } from '../../db/reading/list-reader.ts';
import type { ApiKey, Invitation, Membership } from '../../generated/sqlite/client.ts';
import { recordingChanges } from '../change/change.ts';
import { invalid, notFound } from '../errors.ts';
import { parseInput } from '../input.ts';
import { byCreation, type Connection, type EdgesInput, readConnection } from '../pagination.ts';
import { type Actor, owned, requireRecentSignIn, requireRole } from './actor.ts';
import { isAtLeast, isRole, type Role, roleInput } from './role.ts';
import { endSessions } from './user.ts';

export type { Membership };

/** A slice of the account's members, invitations or keys by cursor, oldest first. */
export function peopleConnection<Row extends Membership | Invitation | ApiKey>(
  lists: ListReader,
  { accountId }: Actor,
  table: 'Membership' | 'Invitation' | 'ApiKey',
  input: EdgesInput,
): Promise<Connection<Row>> {
  const list = byCreation(table, is('accountId', accountId));
  const where = table === 'ApiKey' ? [...list.where, isNull('revokedAt')] : list.where;
  return readConnection(lists, { ...list, where }, input);
}

export const updateMemberInput = z.object({ role: roleInput('The new role, at most your own.') });

/** Whoever deals with an owner needs to have signed in recently. */
function requireRoleOver(actor: Actor, role: Role, now: Date): void {
  requireRole(actor, role);
  if (role === 'OWNER') requireRecentSignIn(actor, now);
}

async function memberOf(db: Data, actor: Actor, id: string) {
  const where = owned(actor, id);
  const member = where && (await db.prisma.membership.findUnique({ where }));
  if (!member || !isRole(member.role)) throw notFound('member');
  return { ...member, role: member.role };
}

/**
 * Locks the owners of an account, so that two of them cannot leave at the same time.
 * @throws DomainError VALIDATION if the member is the last owner
 */
async function requireAnotherOwner(tx: Transaction, { accountId, id }: Membership): Promise<void> {
  await tx.lockRow('Account', accountId);
  const another = { accountId, role: 'OWNER', id: { not: id }, user: { disabledAt: null } };
  if ((await tx.prisma.membership.findFirst({ where: another })) === null)
    throw invalid([{ path: ['id'], messages: ['is the last owner: make another one first'] }]);
}

/**
 * Gives a member another role. The sessions of somebody who gets a lower one end.
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
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    const member = await memberOf(tx, actor, id);
    requireRoleOver(actor, member.role, now);
    requireRoleOver(actor, role, now);
    if (member.role === role) return member;
    if (member.role === 'OWNER') await requireAnotherOwner(tx, member);
    const data = { role, isGiven: false };
    const changed = await tx.prisma.membership.update({ where: { id: member.id }, data });
    if (!isAtLeast(role, member.role)) await endSessions(tx, member.userId, actor.session?.id);
    await record('UPDATED', 'MEMBER', [member.id], ['role']);
    return changed;
  });
}

/**
 * Ends a membership, with its invitations and keys.
 * @throws DomainError NOT_FOUND, FORBIDDEN, VALIDATION
 */
export async function removeMember(db: Data, actor: Actor, id: string, now: Date): Promise<number> {
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    const member = await memberOf(tx, actor, id);
    // Everybody may leave.
    if (member.id !== actor.memberId) requireRoleOver(actor, member.role, now);
    if (member.role === 'OWNER') await requireAnotherOwner(tx, member);
    const ended = await tx.prisma.apiKey.findMany({ where: { makerId: member.id, revokedAt: null } });
    await tx.prisma.apiKey.updateMany({
      where: { makerId: member.id, revokedAt: null },
      data: { revokedAt: now },
    });
    await tx.prisma.membership.delete({ where: { id: member.id } });
    await endSessions(tx, member.userId);
    await record('DELETED', 'MEMBER', [member.id]);
    await record(
      'DELETED',
      'API_KEY',
      ended.map((key) => key.id),
    );
    return member.id;
  });
}

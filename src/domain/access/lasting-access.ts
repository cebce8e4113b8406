import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { parseId, parseInput } from '../../engine/rules/input.ts';
import { recordingChanges } from '../change/change.ts';
import { refusal } from '../rules.ts';
import { disableWebhooks, findEnabled, webhooksBy } from '../webhook/makers.ts';
import { accountName } from './account.ts';
import { revokeKeys, validKeys } from './api-key.ts';
import { lockAccess } from './lock-access.ts';
import { isRole, permissionsOf } from './role.ts';
import { bySession } from './session.ts';
import type { SignedIn } from './ways-in.ts';

/** Maximum number of ids of each kind that one request ends. */
const MAX_ENDED = 1_000;

function mayDisable(role: string): boolean {
  return isRole(role) && permissionsOf(role).has('WEBHOOKS');
}

/** Reads everything a user made that outlasts their sessions: valid keys, open invitations and enabled webhooks. */
export async function findLastingAccess(db: Data, userId: number, now: Date) {
  const { prisma } = db;
  const oldest = { orderBy: { id: 'asc' } } as const;
  const [members, keys, invitations, webhooks] = await Promise.all([
    prisma.membership.findMany({ where: { userId }, include: { account: true } }),
    prisma.apiKey.findMany({
      ...{ where: { maker: { userId }, ...validKeys(now) }, include: { account: true }, ...oldest },
    }),
    prisma.invitation.findMany({
      where: { inviter: { userId }, expiresAt: { gt: now } },
      ...{ include: { account: true }, ...oldest },
    }),
    findEnabled(db, webhooksBy({ users: [userId] })),
  ]);
  const roles = new Map(members.map(({ accountId, role }) => [accountId, role]));
  return {
    keys,
    invitations,
    webhooks: webhooks.map((webhook) => ({
      ...webhook,
      isOfMember: roles.has(webhook.accountId),
      mayDisable: mayDisable(roles.get(webhook.accountId) ?? ''),
    })),
  };
}

/** Reads the user's lasting access as they see it: without webhooks of accounts that they have left. */
export async function ownLastingAccess(db: Data, userId: number, now: Date) {
  const { keys, invitations, webhooks } = await findLastingAccess(db, userId, now);
  const inAccount = (account: { id: number; name: string; title: string | null }) => ({
    account: { id: String(account.id), name: accountName(account) },
  });
  return {
    keys: keys.map(({ id, name, prefix, role, createdAt, lastUsedAt, account }) => ({
      ...{ id: String(id), name: name ?? '', prefix, role, createdAt, lastUsedAt, ...inAccount(account) },
    })),
    invitations: invitations.map(({ id, email, role, createdAt, account }) => ({
      ...{ id: String(id), email, role, createdAt, ...inAccount(account) },
    })),
    webhooks: webhooks
      .filter(({ isOfMember }) => isOfMember)
      .map(({ id, url, mayDisable: may, createdAt, account }) => ({
        ...{ id: String(id), url, mayDisable: may, createdAt, ...inAccount(account) },
      })),
  };
}

const ids = z
  .array(z.string(refusal('TEXT')))
  .max(MAX_ENDED, refusal('MAX_ENTRIES', { max: MAX_ENDED }))
  .default([])
  .transform((given) => given.flatMap((id) => parseId(id) ?? []));
const ended = z.object({ keys: ids, invitations: ids, webhooks: ids });

/**
 * Ends some of what a user made: revokes keys with all that they made, deletes invitations, and disables webhooks where the user may.
 * Ids of others do nothing.
 * @throws DomainError VALIDATION, UNAUTHENTICATED
 */
export async function endLastingAccess(
  db: Data,
  session: SignedIn,
  given: unknown,
  now: Date,
): Promise<void> {
  const asked = parseInput(ended, given);
  const { userId } = session;
  const members = await db.prisma.membership.findMany({ where: { userId }, orderBy: { accountId: 'asc' } });
  await db.transaction(async (outer) => {
    // In one order for all, and before the user.
    await lockAccess(outer, { Account: members.map(({ accountId }) => accountId) });
    await bySession(outer, session, now, async (tx) => {
      for (const { id: memberId, accountId } of members)
        await recordingChanges(tx, { accountId, userId, keyId: null }, now, async (changing) => {
          const { record } = changing;
          const member = await tx.prisma.membership.findUnique({ where: { id: memberId } });
          if (member === null) return;
          const open = { id: { in: asked.invitations }, inviterId: memberId };
          const invitations = (await tx.prisma.invitation.findMany({ where: open })).map(({ id }) => id);
          await tx.prisma.invitation.deleteMany({ where: { id: { in: invitations } } });
          await record('DELETED', 'INVITATION', invitations);
          const own = webhooksBy({ users: [userId] });
          if (mayDisable(member.role))
            await disableWebhooks(changing, accountId, { AND: [own, { id: { in: asked.webhooks } }] }, now);
          const which = { id: { in: asked.keys }, makerId: memberId };
          await record('DELETED', 'API_KEY', await revokeKeys(tx, which, now));
        });
    });
  });
}

import { setTimeout } from 'node:timers/promises';
import { ACCOUNT_BATCH, ACCOUNT_TABLES, deleteAccountRows, deleteParts } from '../../db/account-rows.ts';
import type { Data } from '../../db/database.ts';
import { deleteRuns } from '../../db/operations.ts';
import { removeDeletedStatistics } from '../../db/statistics/delete-statistics.ts';
import { removeDeliveries } from '../../db/webhook/deliveries.ts';
import { keysOf } from '../../engine/tools/keys-of.ts';
import type { Membership } from '../../generated/sqlite/client.ts';
import { type Changing, OPERATOR, recordingChanges } from '../change/change.ts';
import { setAccountDisabled } from './account.ts';
import { lockAccess } from './lock-access.ts';
import { endMembership, requireAnotherOwner } from './member.ts';
import { forgetGuesses } from './sign-in.ts';
import { deletedUser, endAll, endUndos } from './user.ts';

/** The pause after a full batch, for the work of others, in milliseconds. */
const PAUSE = 20;

/** The accounts that a user's deletion would leave without an owner. */
export async function accountsWithoutOthers(db: Data, userId: number): Promise<string[]> {
  const accounts = await db.prisma.account.findMany({
    where: {
      AND: [
        { members: { some: { userId, role: 'OWNER' } } },
        { members: { none: { userId: { not: userId }, role: 'OWNER', user: { disabledAt: null } } } },
      ],
    },
    orderBy: { id: 'asc' },
  });
  return accounts.map((account) => account.name);
}

/**
 * Ends a membership for the operator, if there still is one.
 * @param stays true if the account stays, and so needs an owner
 * @throws DomainError VALIDATION for the last owner of an account that stays
 */
async function leave(changing: Changing, { id, accountId, userId }: Membership, stays: boolean, now: Date) {
  const { tx } = changing;
  await lockAccess(tx, { Account: [accountId], User: [userId] });
  const member = await tx.prisma.membership.findUnique({ where: { id } });
  if (member === null) return;
  if (stays) await requireAnotherOwner(tx, member);
  await endMembership(changing, member, now);
}

/** Removes what says who a user is, and how they sign in, unless they are a member again. The row stays for the history. */
async function anonymise({ tx, record }: Changing, userId: number, now: Date): Promise<void> {
  await lockAccess(tx, { User: [userId] });
  const { prisma } = tx;
  const user = await prisma.user.findUniqueOrThrow({ where: { id: userId } });
  if ((await prisma.membership.findFirst({ where: { userId } })) !== null) return;
  await endAll(tx, userId);
  await prisma.passkey.deleteMany({ where: { userId } });
  await prisma.identity.deleteMany({ where: { userId } });
  await forgetGuesses(tx, user.email);
  const { emailKey } = user;
  const open = await prisma.invitation.findMany({ where: { emailKey }, orderBy: { id: 'asc' } });
  await prisma.invitation.deleteMany({ where: { emailKey } });
  for (const { id, accountId: owner } of open) await record('DELETED', 'INVITATION', [id], [], { owner });
  await endUndos(tx, userId);
  await prisma.addressChange.deleteMany({ where: { userId } });
  await prisma.user.update({ where: { id: userId }, data: deletedUser(userId, now) });
}

/**
 * Deletes a user for the operator: ends the memberships, with their keys, and anonymises the row, which the history names. After a
 * failure, the same call goes on.
 * @throws DomainError VALIDATION for the last owner of an account
 */
export async function deleteUser(db: Data, userId: number, now: Date): Promise<void> {
  const members = await db.prisma.membership.findMany({ where: { userId }, orderBy: { accountId: 'asc' } });
  for (const member of members)
    await recordingChanges(db, { ...OPERATOR, accountId: member.accountId }, now, (changing) =>
      leave(changing, member, true, now),
    );
  await recordingChanges(db, OPERATOR, now, (changing) => anonymise(changing, userId, now));
}

/** The size of an account: its deletion removes these. */
export interface AccountSize {
  readonly links: number;
  readonly keys: number;
  /** Members without another account, whose users go. */
  readonly users: number;
}

export async function accountSize({ prisma }: Data, accountId: number): Promise<AccountSize> {
  const only = { memberships: { some: { accountId }, every: { accountId } } };
  const [tallies, keys, users] = [
    await prisma.accountTally.aggregate({ where: { accountId }, _sum: { links: true } }),
    await prisma.apiKey.count({ where: { accountId } }),
    await prisma.user.count({ where: only }),
  ];
  return { links: tallies._sum.links ?? 0, keys, users };
}

/** Deletes batches until one is not full. */
async function inBatches(deleteSome: () => Promise<number>): Promise<void> {
  while ((await deleteSome()) === ACCOUNT_BATCH) await setTimeout(PAUSE);
}

/** Deletes some links of an account, with their parts first; returns how many. */
async function deleteLinks(db: Data, accountId: number): Promise<number> {
  const links = await db.prisma.link.findMany({
    ...{ where: { accountId }, orderBy: { id: 'asc' }, take: ACCOUNT_BATCH, select: { id: true } },
  });
  if (links.length === 0) return 0;
  const ids = links.map(({ id }) => id);
  for (const part of ['tag', 'pixel'] as const) await inBatches(() => deleteParts(db, part, ids));
  await db.transaction(async (tx) => {
    await tx.prisma.link.deleteMany({ where: { id: { in: ids } } });
  });
  return links.length;
}

/** Ends some memberships of an account, and anonymises users without another one; returns how many. */
async function removeMembers(db: Data, accountId: number, now: Date): Promise<number> {
  const members = await db.prisma.membership.findMany({ where: { accountId }, take: ACCOUNT_BATCH });
  // Together: nothing else would find a user who has left, if the process ended in between.
  for (const member of members)
    await recordingChanges(db, { ...OPERATOR, accountId }, now, async (changing) => {
      await leave(changing, member, false, now);
      await anonymise(changing, member.userId, now);
    });
  return members.length;
}

/**
 * Deletes an account for the operator: disables it, and deletes its rows in batches. After a failure, or where the process was ended,
 * the same call goes on.
 */
export async function deleteAccount(db: Data, accountId: number, now: Date): Promise<void> {
  await setAccountDisabled(db, accountId, now, now);
  await inBatches(() => removeMembers(db, accountId, now));
  await inBatches(() => deleteLinks(db, accountId));
  await inBatches(() => deleteRuns(db, accountId));
  for (const table of keysOf(ACCOUNT_TABLES)) await inBatches(() => deleteAccountRows(db, table, accountId));
  await inBatches(() => deleteDomains(db, accountId, now));
  // What was added meanwhile goes with it.
  await db.transaction(async (tx) => {
    await tx.prisma.account.deleteMany({ where: { id: accountId } });
  });
  while ((await removeDeletedStatistics(db)) || (await removeDeliveries(db)));
}

/** Deletes some domains of an account; the change without an account tells processes that visitors find them no more. */
async function deleteDomains(db: Data, accountId: number, now: Date): Promise<number> {
  return recordingChanges(db, OPERATOR, now, async ({ tx, record }) => {
    const domains = await tx.prisma.domain.findMany({ where: { accountId }, take: ACCOUNT_BATCH });
    const ids = domains.map(({ id }) => id);
    await tx.prisma.domain.deleteMany({ where: { id: { in: ids } } });
    await record('DELETED', 'DOMAIN', ids);
    return ids.length;
  });
}

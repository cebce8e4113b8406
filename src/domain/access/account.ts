import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import type { Account } from '../../generated/sqlite/client.ts';
import { type Changing, OPERATOR, recordingChanges } from '../change/change.ts';
import { DomainError } from '../errors.ts';
import { nameOf, parseInput } from '../input.ts';
import type { Actor } from './actor.ts';
import { lockAccess } from './lock-access.ts';

/** The name by which the operator finds an account. */
export const operatorsName = nameOf(255);

/** The name that people see: an owner's, or else the operator's. */
export function accountName({ name, title }: Pick<Account, 'name' | 'title'>): string {
  return title ?? name;
}

function parseOperatorsName(given: string): string {
  return parseInput(z.object({ account: operatorsName }), { account: given }).account;
}

/** The operator's name in its stored form, and its account; null if there is none. @throws DomainError VALIDATION */
export async function findAccountForOperator(
  db: Data,
  given: string,
): Promise<{ name: string; account: Account | null }> {
  const name = parseOperatorsName(given);
  return { name, account: await db.prisma.account.findUnique({ where: { name } }) };
}

/** An account as the operator sees it. */
export type AccountView = Awaited<ReturnType<typeof listAccounts>>[number];

/** All accounts, with how many valid keys, members and links each has. */
export async function listAccounts(db: Data, now: Date) {
  const isValid = { revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
  const accounts = await db.prisma.account.findMany({
    include: { _count: { select: { keys: { where: isValid }, members: true } }, tallies: true },
    orderBy: { id: 'asc' },
  });
  return accounts.map(({ id, name, title, createdAt, disabledAt, tallies, _count }) => ({
    ...{ id, name, title, createdAt, disabledAt, ..._count },
    links: tallies.reduce((sum, { links }) => sum + links, 0),
  }));
}

/** The account with the operator's name for it, which is made if it does not exist. @throws DomainError VALIDATION */
export async function accountForOperator(db: Data, given: string, now: Date): Promise<Account> {
  const name = parseOperatorsName(given);
  return db.prisma.account.upsert({ where: { name }, create: { name, createdAt: now }, update: {} });
}

/** The same, which records that the operator makes it. @throws DomainError VALIDATION */
export async function recordedAccount({ tx, record }: Changing, given: string, now: Date): Promise<Account> {
  const { account } = await findAccountForOperator(tx, given);
  if (account !== null) return account;
  const made = await accountForOperator(tx, given, now);
  await record('CREATED', 'ACCOUNT', [made.id], ['name'], { owner: made.id });
  return made;
}

/** Makes an account for the operator. @throws DomainError VALIDATION; CONFLICT if there is one with the name */
export async function createAccount(db: Data, given: string, now: Date): Promise<Account> {
  return recordingChanges(db, OPERATOR, now, async (changing) => {
    const { name, account } = await findAccountForOperator(changing.tx, given);
    if (account !== null)
      throw new DomainError('CONFLICT', `There is an account ${JSON.stringify(name)} already.`);
    return recordedAccount(changing, given, now);
  });
}

/**
 * Disables an account for the operator, or enables it again. Every process hears of it within a second: by the number of changes of
 * keys, which a trigger raises, and by the change in the log.
 */
export async function setAccountDisabled(
  db: Data,
  accountId: number,
  disabledAt: Date | null,
  now: Date,
): Promise<void> {
  await recordingChanges(db, { ...OPERATOR, accountId }, now, async ({ tx, record }) => {
    await lockAccess(tx, { Account: [accountId] });
    const before = await tx.prisma.account.findUniqueOrThrow({ where: { id: accountId } });
    if ((before.disabledAt === null) === (disabledAt === null)) return;
    await tx.prisma.account.update({ where: { id: accountId }, data: { disabledAt } });
    // The days without attempts are no failures.
    if (disabledAt === null)
      await tx.prisma.webhookQueue.updateMany({
        where: { webhook: { accountId }, failingSince: { not: null } },
        data: { failingSince: null },
      });
    await record('UPDATED', 'ACCOUNT', [accountId], ['disabled']);
  });
}

export const updateAccountInput = z.object({
  name: nameOf(100).describe('The name that people see, 1 to 100 characters; it need not be unique.'),
});

/** @throws DomainError VALIDATION */
export async function updateAccount(db: Data, actor: Actor, given: unknown, now: Date): Promise<Account> {
  const { name: title } = parseInput(updateAccountInput, given);
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    const where = { id: actor.accountId };
    const before = await tx.prisma.account.findUniqueOrThrow({ where });
    if (accountName(before) === title) return before;
    await record('UPDATED', 'ACCOUNT', [actor.accountId], ['name']);
    return tx.prisma.account.update({ where, data: { title } });
  });
}

import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import type { Account } from '../../generated/sqlite/client.ts';
import { recordingChanges } from '../change/change.ts';
import { nameOf, parseInput } from '../input.ts';
import type { Actor } from './actor.ts';

/** The name by which the operator finds an account. */
export const operatorsName = nameOf(255);

/** The name that people see: an owner's, or else the operator's. */
export function accountName({ name, title }: Pick<Account, 'name' | 'title'>): string {
  return title ?? name;
}

/** The account with the operator's name for it, which is made if it does not exist. @throws DomainError VALIDATION */
export async function accountForOperator(db: Data, given: string, now: Date): Promise<Account> {
  const { account: name } = parseInput(z.object({ account: operatorsName }), { account: given });
  return db.prisma.account.upsert({ where: { name }, create: { name, createdAt: now }, update: {} });
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

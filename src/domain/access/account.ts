import { z } from 'zod';
import type { Data } from '../../db/database.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import { nameSchema, parseInput } from '../../engine/rules/input.ts';
import type { Account } from '../../generated/sqlite/client.ts';
import { type Changing, changedFields, OPERATOR, recordingChanges } from '../change/change.ts';
import { type DefaultPrivacy, defaultPrivacy } from '../link/privacy.ts';
import type { Services } from '../services.ts';
import type { Actor } from './actor.ts';
import { type BrandColumns, brandColumns, brandInput } from './brand.ts';
import { lockAccess } from './lock-access.ts';

/** The name by which the operator finds an account. */
export const operatorsName = nameSchema(255);

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

/**
 * The account with the operator's name for it, which is made if it does not exist.
 * @param privacy of the links that people make in a new account
 * @throws DomainError VALIDATION
 */
export async function accountForOperator(
  db: Data,
  given: string,
  privacy: DefaultPrivacy,
  now: Date,
): Promise<Account> {
  const name = parseOperatorsName(given);
  return db.prisma.account.upsert({ where: { name }, create: newAccount(name, privacy, now), update: {} });
}

/** The columns of a new account. */
export function newAccount(name: string, privacy: DefaultPrivacy, now: Date) {
  return { name, defaultPrivacy: privacy, createdAt: now };
}

/** The account with the operator's name for it; its history records that the operator makes it. @throws DomainError VALIDATION */
export async function recordedAccount(
  { tx, record }: Changing,
  given: string,
  privacy: DefaultPrivacy,
  now: Date,
): Promise<Account> {
  const { account } = await findAccountForOperator(tx, given);
  if (account !== null) return account;
  const made = await accountForOperator(tx, given, privacy, now);
  await record('CREATED', 'ACCOUNT', [made.id], ['name'], { owner: made.id });
  return made;
}

/** Makes an account for the operator. @throws DomainError VALIDATION; CONFLICT if there is one with the name */
export async function createAccount(db: Data, given: string, now: Date): Promise<Account> {
  return recordingChanges(db, OPERATOR, now, async (changing) => {
    const { name, account } = await findAccountForOperator(changing.tx, given);
    if (account !== null)
      throw new DomainError('CONFLICT', `There is an account ${JSON.stringify(name)} already.`);
    return recordedAccount(changing, given, 'PRIVATE', now);
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

/** The name of an account that people see. */
export const accountTitle = nameSchema(100);

/** Gives an account another name for people, and records that if it differs. */
export async function renameAccount(
  { tx, record }: Changing,
  accountId: number,
  title: string,
): Promise<void> {
  const where = { id: accountId };
  if (accountName(await tx.prisma.account.findUniqueOrThrow({ where })) === title) return;
  await tx.prisma.account.update({ where, data: { title } });
  await record('UPDATED', 'ACCOUNT', [accountId], ['name']);
}

export const updateAccountInput = z.object({
  name: accountTitle
    .optional()
    .describe('The name that people see, 1 to 100 characters; it need not be unique.'),
  defaultPrivacy: defaultPrivacy
    .optional()
    .describe(
      'The privacy that the console gives new links: PUBLIC or PRIVATE. Existing links stay as they are.',
    ),
  brand: brandInput
    .describe(
      'What pages for visitors show of the account. Absent fields do not change; null clears a field, or all.',
    )
    .nullish(),
});

/** The names of columns in the history. */
const brandedFields = {
  title: 'name',
  brandLogo: 'brand',
  brandColour: 'brand',
  brandName: 'brand',
  brandHelpUrl: 'brand',
} as const;

/** The part of a brand that differs from that of the account. */
function changedBrand(brand: Partial<BrandColumns>, before: Account): Partial<BrandColumns> {
  const changed = Object.entries(brand).filter(
    ([name, value]) => before[name as keyof BrandColumns] !== value,
  );
  return Object.fromEntries(changed);
}

/** Changes the given fields. @throws DomainError VALIDATION, RATE_LIMITED */
export async function updateAccount(
  db: Data,
  actor: Actor,
  services: Services,
  given: unknown,
  now: Date,
): Promise<Account> {
  const { name, defaultPrivacy: privacy, brand: givenBrand } = parseInput(updateAccountInput, given);
  const brand = await brandColumns(db, actor, services, givenBrand, now);
  return recordingChanges(db, actor, now, async ({ tx, record }) => {
    const where = { id: actor.accountId };
    const before = await tx.prisma.account.findUniqueOrThrow({ where });
    const data = {
      ...(name !== undefined && name !== accountName(before) && { title: name }),
      ...(privacy !== undefined && privacy !== before.defaultPrivacy && { defaultPrivacy: privacy }),
      ...changedBrand(brand, before),
    };
    const fields = changedFields(data, brandedFields);
    if (fields.length === 0) return before;
    await record('UPDATED', 'ACCOUNT', [actor.accountId], fields);
    return tx.prisma.account.update({ where, data });
  });
}

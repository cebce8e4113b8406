import type { Account } from '../../generated/sqlite/client.ts';
import type { Data } from '../database.ts';

const columns = {
  ...{ disabledAt: true, brandLogo: true, brandColour: true, brandName: true, brandHelpUrl: true },
} as const;

/** The columns of an account's brand, and whether the account is disabled. */
type Branded = Pick<Account, keyof typeof columns>;

/** An account that is not disabled, with its brand; the only account for null. Null if there is none. */
export async function readBranded({ prisma }: Data, accountId: number | null): Promise<Branded | null> {
  const where = accountId === null ? {} : { id: accountId };
  const [account = null, ...others] = await prisma.account.findMany({ where, select: columns, take: 2 });
  return account === null || others.length > 0 || account.disabledAt !== null ? null : account;
}

import type { Data } from '../../db/database.ts';
import { findAccountForOperator } from '../../domain/access/account.ts';
import { nearestNames } from '../../engine/tools/did-you-mean.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { printable } from '../../engine/tools/printable.ts';
import { ask, hasTerminal, isYes } from './ask.ts';
import { type Io, UsageError } from './command.ts';

/** The option of commands that make an account if none has the name, and its help. */
export const newAccountOption = { 'new-account': { type: 'string' } } as const;
export const newAccountHelp = `  --new-account  yes or no: whether an account is made if none has the name; without it, a terminal is asked`;

/** The maximum number of existing names that are shown. */
const MAX_NEAREST = 3;

const quotedList = (names: readonly string[]) => names.map((name) => JSON.stringify(name)).join(', ');

/** An account that a command makes. */
export interface NewAccount {
  /** The words about it, with the nearest names of others. */
  readonly notice: string;
  /** True if a person has seen the notice, and agreed. */
  readonly isSeen: boolean;
}

/**
 * Returns the account that a command is going to make; null if it exists.
 * @param option the value of `--new-account`
 * @throws OperatorError if it shall not be made
 */
export async function newAccount(
  db: Data,
  given: string,
  option: string | undefined,
  io: Io,
): Promise<NewAccount | null> {
  if (option !== undefined && option !== 'yes' && option !== 'no')
    throw new UsageError(`--new-account is "${option}"; it may be yes or no.`);
  const { name, account } = await findAccountForOperator(db, given);
  if (account !== null) return null;
  const others = await db.prisma.account.findMany({ select: { name: true }, orderBy: { id: 'asc' } });
  const names = others.map((one) => one.name);
  const nearest = quotedList(nearestNames(name, names).slice(0, MAX_NEAREST));
  const known = nearest === '' ? '' : `; the nearest existing names: ${nearest}`;
  if (option === 'no') throw new OperatorError(`There is no account ${JSON.stringify(name)}${known}.`);
  const notice = `new account ${JSON.stringify(name)}${known}`;
  if (option === 'yes' || !hasTerminal(io)) return { notice, isSeen: false };
  if (!isYes(await ask(io, `${notice}. Make it? (y/N) `))) throw new OperatorError('Nothing was made.');
  return { notice, isSeen: true };
}

/** Tells of a new account: in a text, or beside JSON. */
export function told(made: NewAccount | null, isJson: boolean, { stderr }: Io): string {
  if (made === null || made.isSeen) return '';
  if (isJson) stderr.write(`${printable(made.notice)}\n`);
  return `${made.notice}\n\n`;
}

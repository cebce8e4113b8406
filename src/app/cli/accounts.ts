import {
  type AccountView,
  createAccount,
  findAccountForOperator,
  listAccounts,
  setAccountDisabled,
} from '../../domain/access/account.ts';
import { accountSize, deleteAccount } from '../../domain/access/erasure.ts';
import { DomainError } from '../../engine/rules/errors.ts';
import { plainLine } from '../../engine/rules/input.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { confirm, yesOption } from './ask.ts';
import { command, UsageError } from './command.ts';
import { accountNamed, withDatabase } from './database.ts';
import { counted, table } from './terminal.ts';

const help = `Usage: npm run accounts -- list
       npm run accounts -- create --account NAME
       npm run accounts -- disable --account NAME
       npm run accounts -- enable --account NAME
       npm run accounts -- delete --account NAME [--yes]

  list     lists all accounts, with how many valid keys, members and links they have; commands know an account by its
           NAME, and people see its TITLE
  create   makes an account, without keys and members
  disable  stops the account within a second, on every process: keys are refused, members do not see it, visitors read
           that its links are disabled, and webhooks wait; nothing is lost
  enable   lets a disabled account go on
  delete   disables the account, and deletes it for good, with links, statistics, history and keys; members without
           another account are deleted, too; if it is interrupted, the same command goes on

  --account  the account's name, as list shows it; the name alone will do, too
  --yes      deletes without asking for the name
  --json     prints JSON instead of text`;

function formatAccounts(accounts: readonly AccountView[]): string {
  return table([
    ['ID', 'NAME', 'TITLE', 'STATE', 'CREATED', 'KEYS', 'MEMBERS', 'LINKS'],
    ...accounts.map(({ id, name, title, createdAt, disabledAt, keys, members, links }) => [
      ...[String(id), name, plainLine(title ?? name), disabledAt ? 'disabled' : 'active'],
      ...[createdAt.toISOString().slice(0, 10), ...[keys, members, links].map(String)],
    ]),
  ]);
}

const argument = 'Name the account: --account NAME.';
const named = { options: ['account'], argument, mayOmit: true };

const options = { account: { type: 'string' }, ...yesOption } as const;
const verbs = {
  list: {},
  create: named,
  disable: named,
  enable: named,
  delete: { ...named, options: ['account', 'yes'] },
};

export const main = command(
  { help, options, verbs },
  async ({ values, verb, argument, config, io, show }) => {
    const now = new Date();
    if (verb === 'list') {
      const accounts = await withDatabase(config, (db) => listAccounts(db, now));
      return show(accounts, accounts.length > 0 ? formatAccounts(accounts) : 'There are no accounts.', 2);
    }
    if ((values.account === undefined) === (argument === ''))
      throw new UsageError(values.account === undefined ? named.argument : 'Name the account once.');
    const given = values.account ?? argument;
    await withDatabase(config, async (db) => {
      if (verb === 'create') {
        const { id, name } = await createAccount(db, given, now).catch((error: unknown) => {
          if (!(error instanceof DomainError) || error.code !== 'CONFLICT') throw error;
          throw new OperatorError(error.message);
        });
        return show({ id, name, created: true }, `Account ${id} is made: ${JSON.stringify(name)}.`, 2);
      }
      const { name } = await findAccountForOperator(db, given);
      const { accountId } = await accountNamed(db, name);
      const shown = JSON.stringify(name);
      if (verb !== 'delete') {
        const disabled = verb === 'disable';
        await setAccountDisabled(db, accountId, disabled ? now : null, now);
        return show({ id: accountId, name, disabled }, `The account ${shown} is ${verb}d.`, 2);
      }
      const size = await accountSize(db, accountId);
      const { links, keys, users } = size;
      const what = `${counted(links, 'link')}, ${counted(keys, 'key')} and ${counted(users, 'user')}`;
      const question = `The account ${shown} is deleted for good, with ${what}. Type its name: `;
      await confirm(io, values.yes, question, (answer) => answer === name);
      await deleteAccount(db, accountId, now);
      show(
        { id: accountId, name, deleted: true, ...size },
        `The account ${shown} is deleted, with ${what}.`,
        2,
      );
    });
  },
);

import { type AccountView, listAccounts } from '../domain/access/account.ts';
import { plainLine } from '../domain/input.ts';
import { command } from './command.ts';
import { withDatabase } from './database.ts';
import { table } from './terminal.ts';

const help = `Usage: npm run accounts -- list

  list  lists all accounts, with how many valid keys, members and links they have; commands know an account by its
        NAME, and people see its TITLE

  --json  prints JSON instead of text`;

function tableOf(accounts: readonly AccountView[]): string {
  return table([
    ['ID', 'NAME', 'TITLE', 'CREATED', 'KEYS', 'MEMBERS', 'LINKS'],
    ...accounts.map(({ id, name, title, createdAt, keys, members, links }) => [
      ...[String(id), name, plainLine(title ?? name), createdAt.toISOString().slice(0, 10)],
      ...[keys, members, links].map(String),
    ]),
  ]);
}

export const main = command({ help, options: {}, verbs: { list: {} } }, async ({ config, show }) => {
  const accounts = await withDatabase(config, (db) => listAccounts(db, new Date()));
  show(accounts, accounts.length > 0 ? tableOf(accounts) : 'There are no accounts.', 2);
});

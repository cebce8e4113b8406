import '../require-node.js';

import { type DomainView, listDomains, removeHost, verifyHost } from '../domain/domain/admin.ts';
import {
  checkOptions,
  databaseNote,
  print,
  readArguments,
  runCommand,
  table,
  tooManyArguments,
  UsageError,
  withDatabase,
} from './command.ts';

const help = `Usage: npm run domains -- list
       npm run domains -- verify HOST
       npm run domains -- remove HOST [--with-links]

  list     lists all domains, with their accounts and whether they are verified
  verify   verifies an account's domain without DNS: it serves visitors from now on
  remove   removes a domain

  --with-links  also removes the links on it; otherwise a domain with links is not removed
  --json        prints JSON instead of text`;

function tableOf(domains: readonly DomainView[]): string {
  return table([
    ['ID', 'HOST', 'ACCOUNT', 'VERIFIED', 'LINKS'],
    ...domains.map(({ id, host, account, verifiedAt, links }) => [
      ...[
        String(id),
        host,
        account ?? '(shared)',
        verifiedAt || account === null ? 'yes' : 'no',
        String(links),
      ],
    ]),
  ]);
}

await runCommand(async ({ databaseUrl: url }) => {
  const { values, positionals } = readArguments({
    allowPositionals: true,
    options: {
      'with-links': { type: 'boolean' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const [verb, host, ...rest] = positionals;
  if (values.help) return print(`${help}\n\n${databaseNote(url)}`);
  if (verb === undefined) throw new UsageError('The command is missing: list, verify or remove.');
  if (rest.length > 0 || (verb === 'list' && host !== undefined)) throw tooManyArguments();
  if (!['list', 'verify', 'remove'].includes(verb))
    throw new UsageError(`"${verb}" is not a command; use list, verify or remove.`);
  checkOptions(verb, values, { 'with-links': 'remove' });
  const show = (value: object, text: string) => print(values.json ? JSON.stringify(value, null, 2) : text);

  if (verb === 'list') {
    const domains = await withDatabase(url, listDomains);
    return show(domains, domains.length > 0 ? tableOf(domains) : 'There are no domains.');
  }
  if (host === undefined) throw new UsageError('Name the domain by its host, as list shows it.');
  if (verb === 'verify') {
    await withDatabase(url, (db) => verifyHost(db, host, new Date()));
    return show({ host, verified: true }, `${host} is verified.`);
  }
  const links = await withDatabase(url, (db) =>
    removeHost(db, host, values['with-links'] ?? false, new Date()),
  );
  const lost = links === 0 ? '' : links === 1 ? ', with its link' : `, with its ${links} links`;
  show({ host, removed: true, links }, `${host} is removed${lost}.`);
});

import { type DomainView, listDomains, removeHost, verifyHost } from '../../domain/short-domain/admin.ts';
import { command } from './command.ts';
import { withDatabase } from './database.ts';
import { table } from './terminal.ts';

const help = `Usage: npm run domains -- list
       npm run domains -- verify HOST
       npm run domains -- remove HOST [--with-links]

  list     lists all domains, with their accounts and whether they are verified
  verify   verifies an account's domain without DNS: it serves visitors from now on
  remove   removes a domain

  --with-links  also removes the links on it; otherwise a domain with links is not removed
  --json        prints JSON instead of text`;

function formatDomains(domains: readonly DomainView[]): string {
  return table([
    ['ID', 'HOST', 'ACCOUNT', 'VERIFIED', 'LINKS'],
    ...domains.map(({ id, host, account, verifiedAt, links }) => {
      const isVerified = verifiedAt || account === null ? 'yes' : 'no';
      return [String(id), host, account ?? '(shared)', isVerified, String(links)];
    }),
  ]);
}

const options = { 'with-links': { type: 'boolean' } } as const;
const argument = 'Name the domain by its host, as list shows it.';
const verbs = { list: {}, verify: { argument }, remove: { argument, options: ['with-links'] } };

export const main = command(
  { help, options, verbs },
  async ({ values, verb, argument: host, config, show }) => {
    if (verb === 'list') {
      const domains = await withDatabase(config, listDomains);
      return show(domains, domains.length > 0 ? formatDomains(domains) : 'There are no domains.', 2);
    }
    if (verb === 'verify') {
      await withDatabase(config, (db) => verifyHost(db, host, new Date()));
      return show({ host, verified: true }, `${host} is verified.`, 2);
    }
    const links = await withDatabase(config, (db) =>
      removeHost(db, host, values['with-links'] ?? false, new Date()),
    );
    const lost = links === 0 ? '' : links === 1 ? ', with its link' : `, with its ${links} links`;
    show({ host, removed: true, links }, `${host} is removed${lost}.`, 2);
  },
);

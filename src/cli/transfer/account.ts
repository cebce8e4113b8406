import { baseUrlOf, type Config } from '../../config.ts';
import type { Data } from '../../db/database.ts';
import type { Writer } from '../../domain/access/actor.ts';
import { OperatorLists } from '../../domain/link/blocklists.ts';
import { type Services, servicesOf } from '../../domain/services.ts';
import { OperatorError } from '../../operator-error.ts';

/** How many accounts a message lists. */
const MAX_LISTED = 10;

async function listOf(db: Data): Promise<string> {
  const names = await db.prisma.account.findMany({
    select: { name: true },
    orderBy: { id: 'asc' },
    take: MAX_LISTED + 1,
  });
  if (names.length === 0) return 'There is none yet: start the service once, which makes "default".';
  const listed = names.slice(0, MAX_LISTED).map(({ name }) => JSON.stringify(name));
  return `These exist: ${listed.join(', ')}${names.length > MAX_LISTED ? ', and more, which "npm run keys -- list" shows' : ''}.`;
}

/** The account of that name, as a writer without a key. @throws OperatorError if there is none */
export async function accountNamed(db: Data, name: string): Promise<Writer> {
  const account = await db.prisma.account.findUnique({ where: { name } });
  if (account === null)
    throw new OperatorError(`There is no account ${JSON.stringify(name)}. ${await listOf(db)}`);
  return { accountId: account.id, keyId: null };
}

/** The services of the domain, from the database and the configuration. @throws OperatorError if the service was never started */
export async function servicesIn(db: Data, config: Config, lists = new OperatorLists()): Promise<Services> {
  const domain = await db.prisma.domain.findFirst({ where: { isDefault: true } });
  if (domain === null)
    throw new OperatorError(
      'The database has no default domain yet: start the service once, with its BASE_URL.',
    );
  return servicesOf(
    { ...config, baseUrl: baseUrlOf(config) },
    {
      defaultDomainId: domain.id,
      lists,
      resolveTxt: () => Promise.reject(new Error('no domain is verified here')),
    },
  );
}

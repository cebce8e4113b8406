import { randomInt } from 'node:crypto';
import type { Config } from '../../config.ts';
import type { Data } from '../../db/database.ts';
import type { Writer } from '../../domain/access/actor.ts';
import type { OperatorLists } from '../../domain/link/blocklists.ts';
import { hashPassword, verifyPassword } from '../../domain/password.ts';
import type { Services } from '../../domain/services.ts';
import { otherNamesOf } from '../../domain/url.ts';
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

function baseUrlOf({ baseUrl, port }: Config): string {
  return baseUrl ?? `http://localhost:${port}`;
}

export function schemeOf(config: Config): string {
  return new URL(baseUrlOf(config)).protocol;
}

/** The services of the domain, from the database and the configuration. @throws OperatorError if the service was never started */
export async function servicesOf(db: Data, config: Config, lists: OperatorLists): Promise<Services> {
  const domain = await db.prisma.domain.findFirst({ where: { isDefault: true } });
  if (domain === null)
    throw new OperatorError(
      'The database has no default domain yet: start the service once, with its BASE_URL.',
    );
  return {
    scheme: schemeOf(config),
    isOtherName: otherNamesOf(baseUrlOf(config), config.port),
    defaultDomainId: domain.id,
    random: randomInt,
    hashPassword,
    verifyPassword,
    verifiesDomains: config.verifiesDomains,
    allowsPrivateWebhooks: config.allowPrivateWebhooks,
    resolveTxt: () => Promise.reject(new Error('no domain is verified here')),
    lists,
  };
}

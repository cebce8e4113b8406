import type { Logger } from 'pino';
import type { Data, Database } from '../../db/database.ts';
import { hasAccountsFromBefore, hasPixels } from '../../db/start.ts';
import { createFirstKey } from '../../domain/access/api-key.ts';
import { unclearAccounts } from '../../domain/access/identity.ts';
import { createWelcome, hasOwner } from '../../domain/access/sign-in.ts';
import { dropHttpsPorts, HostHeld, shareDefaultDomain } from '../../domain/short-domain/default-domain.ts';
import { hostOf, withoutPort } from '../../engine/rules/url.ts';
import { ConfigError } from '../../engine/tools/operator-error.ts';
import type { Config } from '../config.ts';
import { consoleUrl, greeting } from '../greeting.ts';
import { withOwnCommands } from '../own-commands.ts';
import type { Ports } from './ports.ts';

/**
 * Makes the base URL's host the default domain, and gives its id.
 * @throws ConfigError if the configuration names accounts that do not exist, or hosts that an account has
 */
export async function settle(
  config: Config,
  db: Data,
  baseUrl: string,
  { now, startLog }: Pick<Ports, 'now' | 'startLog'>,
): Promise<number> {
  await requireAccounts(db, config);
  if (config.consoleUrl !== undefined) await requireFreeConsole(db, config.consoleUrl);
  return settleDefaultDomain(config, db, baseUrl, now(), startLog);
}

/**
 * Makes the first key, if there is none. It comes last: if the start failed later, the key would be lost without being printed.
 * With INITIAL_API_KEY, every process makes sure that it exists before it answers.
 * @returns what greets the operator once the service answers
 */
export async function createFirst(
  config: Config,
  database: Database,
  { worker = 1, now, print, startLog }: Ports,
): Promise<() => Promise<void>> {
  const isFirst = worker === 1;
  const { initialApiKey, port } = config;
  const key =
    (isFirst || initialApiKey !== undefined) && (await createFirstKey(database, now(), initialApiKey));
  if (isFirst) await notePixels(database, startLog);
  return async () => {
    if (isFirst && config.console) await letOwnerIn(config, database, { now, print, startLog }, Boolean(key));
    if (key) print(withOwnCommands(greeting(initialApiKey === undefined ? key : null, config, port)));
  };
}

/** Prints the link of the first owner on the first start; later, says how to make one. */
async function letOwnerIn(
  config: Config,
  database: Database,
  { now, print, startLog }: Pick<Ports, 'now' | 'print' | 'startLog'>,
  isNew: boolean,
): Promise<void> {
  // With INITIAL_API_KEY, another worker may have made the account.
  const since = new Date(now().getTime() - 60_000);
  if (isNew || !(await hasAccountsFromBefore(database, since))) {
    const token = await createWelcome(database, now());
    if (token !== null)
      print(`To become the owner, open ${consoleUrl(config, config.port)}/welcome#${token}\n`);
  } else if (!(await hasOwner(database)))
    startLog.info(
      withOwnCommands(
        'nobody can sign in yet: npm run users -- create --email EMAIL --account NAME --role owner',
      ),
    );
}

/** @throws ConfigError if an account has the host of the console as a domain */
async function requireFreeConsole(db: Data, consoleUrl: string): Promise<void> {
  const hostKey = withoutPort(hostOf(consoleUrl));
  const held = await db.prisma.domain.findFirst({ where: { hostKey }, include: { account: true } });
  if (held?.account)
    throw new ConfigError(
      `CONSOLE_URL is "${consoleUrl}", but the account "${held.account.name}" has that host as a domain: use another ` +
        `URL, or remove the domain from the account: npm run domains -- remove ${held.name}`,
    );
}

/** Says what pixels cannot do, if there are any. */
async function notePixels(db: Data, log: Logger): Promise<void> {
  if (!(await hasPixels(db))) return;
  log.info(
    'pixels of links on hosts that accounts share, such as that of BASE_URL, set no cookies, and some networks may not count ' +
      'them: on a verified domain of its own, an account’s pixels run as the network intends',
  );
}

/** @throws ConfigError if OIDC_ROLES gives roles in accounts that do not exist */
async function requireAccounts(db: Data, { oidcRoles }: Pick<Config, 'oidcRoles'>): Promise<void> {
  const unclear = await unclearAccounts(db, oidcRoles);
  if (unclear.length === 0) return;
  const names = unclear.map((name) => JSON.stringify(name)).join(', ');
  throw new ConfigError(
    `OIDC_ROLES gives roles in ${names}, which is no account, or the name of one and the id of another: ` +
      'use the name that npm run accounts -- list shows, or the id in the path of the console.',
  );
}

/** Makes the base URL's host the default domain, and gives its id; other domains lose the port of https. */
async function settleDefaultDomain(
  { notFoundUrl }: Pick<Config, 'notFoundUrl'>,
  db: Data,
  baseUrl: string,
  now: Date,
  log: Logger,
): Promise<number> {
  const host = hostOf(baseUrl);
  const { id, renamed } = await shareDefaultDomain(db, host, notFoundUrl ?? null, now).catch(
    (error: unknown) => {
      if (!(error instanceof HostHeld)) throw error;
      throw new ConfigError(
        `BASE_URL is "${baseUrl}", but the account "${error.account}" has that host as a domain: use another ` +
          `URL, or remove the domain from the account: npm run domains -- remove ${error.host}`,
      );
    },
  );
  await dropHttpsPorts(db, now);
  if (renamed)
    log.info(
      { from: renamed.from, to: host, links: renamed.links },
      'default domain renamed to the host of BASE_URL: its links work under the new host',
    );
  return id;
}

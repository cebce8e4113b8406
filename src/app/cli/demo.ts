import { applyMigrations } from '../../db/apply-migrations.ts';
import { migrations } from '../../db/migrations.ts';
import { actorFor } from '../../domain/access/actor.ts';
import { createFirstKey } from '../../domain/access/api-key.ts';
import { createWelcome } from '../../domain/access/sign-in.ts';
import { shareDefaultDomain } from '../../domain/short-domain/default-domain.ts';
import { isoTime } from '../../domain/transfer/times.ts';
import { withHints } from '../../engine/db/error-hints.ts';
import { hostOf } from '../../engine/rules/url.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { withoutSecrets } from '../../engine/tools/secrets.ts';
import { type Config, getBaseUrl, getConsoleUrl, migratedDatabase } from '../config.ts';
import { withOwnCommands } from '../own-commands.ts';
import { command, UsageError } from './command.ts';
import { databaseNote, servicesIn, withDatabase } from './database.ts';
import { DAYS, fillDemo, requireNoLinks } from './demo/fill.ts';
import { seededRandom } from './demo/random.ts';

const help = `Usage: npm run demo -- [--seed NUMBER] [--until TIME] [--days NUMBER]

Fills a new database with example data: two years of a small company's links and their statistics. It refuses a
database that has links. Give it a database of its own, and start the service on that database afterwards:

  DATABASE_URL=file:./data/demo.db npm run demo
  DATABASE_URL=file:./data/demo.db npm start

Then open /shop+, for example. The statistics of /leasing+ ask for a password, which is "demo".

  --seed   a number; the same number gives the same visits (1 by default)
  --until  when the years end, such as 2026-11-22 or 2026-11-22T12:00:00Z; now by default
  --days   how many days before that have visits (730 by default)
  --json   prints JSON instead of text`;

/** Migrates a database that has nothing yet. An older one with data is for the start, or "npm run migrate". */
async function migrateIfNew(config: Config): Promise<void> {
  const migrated = migratedDatabase(config);
  const { pending } = await withHints(...migrated, (url) => migrations.stateAt(url));
  if (migrations.isNewWith(pending.length, migrated[1])) await withHints(...migrated, applyMigrations);
}

/** The variables that decide where the demo is: a start without them would be on another database or at another address. */
const PLACE = ['DATABASE_URL', 'BASE_URL', 'HOST', 'PORT'];

/** The command that starts the service on the demo, at the address that is printed with it. */
function startCommand(env: NodeJS.ProcessEnv): string {
  const set = PLACE.flatMap((name) => {
    const value = env[name];
    return value ? `${name}="${withoutSecrets(value)}" ` : [];
  });
  return withOwnCommands(`${set.join('')}npm start`);
}

function parseEnd(until: string | undefined): Date {
  const time = until === undefined ? new Date() : isoTime(until);
  if (time === null || time.getUTCFullYear() < 1971 || time.getUTCFullYear() > 9998)
    throw new UsageError(`--until is "${until}"; it may be a time such as 2026-11-22T12:00:00Z.`);
  return time;
}

const options = {
  seed: { type: 'string', default: '1' },
  until: { type: 'string' },
  days: { type: 'string', default: String(DAYS) },
} as const;

const note = (config: Config) =>
  `${databaseNote(config.databaseUrl)}\nLinks are on the host of BASE_URL, now ${getBaseUrl(config)}`;

export const main = command({ help, options, note }, async ({ values, config, env, print, show }) => {
  const { notFoundUrl, initialApiKey } = config;
  if (!/^\d{1,9}$/.test(values.seed))
    throw new UsageError(`--seed is "${values.seed}"; it may be a whole number from 0 to 999999999.`);
  const days = Number(values.days);
  if (!/^\d{1,3}$/.test(values.days) || days < 1 || days > DAYS)
    throw new UsageError(`--days is "${values.days}"; it may be a whole number from 1 to ${DAYS}.`);
  const now = parseEnd(values.until);
  const baseUrl = getBaseUrl(config);
  await migrateIfNew(config);
  const { key, token, result } = await withDatabase(config, async (db) => {
    await requireNoLinks(db);
    const made = await createFirstKey(db, now, initialApiKey);
    await shareDefaultDomain(db, hostOf(baseUrl), notFoundUrl ?? null, now);
    const own = await db.prisma.apiKey.findFirst({ where: { revokedAt: null }, orderBy: { id: 'asc' } });
    if (own === null) throw new OperatorError('No account has a key: make one by "npm run keys" first.');
    const actor = actorFor(own.accountId, own.id);
    const random = seededRandom(Number(values.seed));
    const services = {
      ...(await servicesIn(db, config)),
      random: (below: number) => Math.floor(random() * below),
    };
    // A key that the operator set is not printed.
    const shownKey = initialApiKey === undefined ? made : null;
    const filled = await fillDemo(db, actor, services, { now, random, days });
    return { key: shownKey, token: await createWelcome(db, new Date()), result: filled };
  });
  const { spaces, links, clicks } = result;
  show(
    { ...result, key },
    `Made ${spaces} spaces and ${links} links with ${clicks} clicks. Start the service on them, and open ${baseUrl}/shop+

  ${startCommand(env)}
`,
  );
  if (values.json) return;
  if (token !== null)
    print(
      `To become the owner of its account, open this within a day:\n\n  ${getConsoleUrl({ ...config, baseUrl })}/console/welcome#${token}\n`,
    );
  if (key !== null) print(`The key of the account "default"; it is shown only now:\n\n  ${key}\n`);
});

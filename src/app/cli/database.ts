import { type Data, Database } from '../../db/database.ts';
import { migrations } from '../../db/migrations.ts';
import { OPERATOR } from '../../domain/change/change.ts';
import { OperatorLists } from '../../domain/link/blocklists.ts';
import { createServices, type Services } from '../../domain/services.ts';
import { announceWrite } from '../../engine/db/postgresql/replicas.ts';
import { fileExists, parseFilePath } from '../../engine/db/sqlite/file.ts';
import { findProvider } from '../../engine/db/url.ts';
import type { Writer } from '../../engine/rules/caller.ts';
import { OperatorError } from '../../engine/tools/operator-error.ts';
import { withoutSecrets } from '../../engine/tools/secrets.ts';
import { type Config, getBaseUrl } from '../config.ts';

/** @throws OperatorError if there is no file of SQLite */
function requireFile(url: string): void {
  if (findProvider(url) === 'sqlite' && !fileExists(url))
    throw new OperatorError(
      `There is no file ${withoutSecrets(parseFilePath(url))}: run "npm run migrate", or start the service, first.`,
    );
}

/**
 * Makes sure that the database at `url` exists and has all migrations: only the start and `migrate` apply them.
 */
async function requireMigrated(url: string): Promise<void> {
  requireFile(url);
  const { pending } = await migrations.stateAt(url);
  if (pending.length > 0)
    throw new OperatorError(
      `The database lacks ${pending.length} of this version's migrations: run "npm run migrate", or start the service, first.`,
    );
}

/** Announces the writes of accounts to processes that read from replicas; returns a function that waits until that is done. */
function announceWrites(db: Database): () => Promise<unknown> {
  const announced: Promise<unknown>[] = [];
  if (db.dialect.hasConcurrentWriters)
    db.database.changes.on('own', (changes) => {
      const accounts = new Set(changes.flatMap(({ accountId }) => accountId ?? []));
      // The write is done: an error would invite the operator to repeat it.
      for (const account of accounts) announced.push(announceWrite(db, account).catch(() => {}));
    });
  return () => Promise.all(announced);
}

export async function withDatabase<T>(
  { databaseUrl: url }: Config,
  work: (db: Data) => Promise<T>,
): Promise<T> {
  await requireMigrated(url);
  const database = await Database.open(url);
  const announced = announceWrites(database);
  return work(database).finally(async () => {
    await announced();
    await database.close();
  });
}

/**
 * Opens a database that may lack migrations, for reads.
 * @param migration the end of the name of the one without which there is nothing to read
 */
export async function withOlderDatabase(
  { databaseUrl: url }: Config,
  migration: string,
  work: (db: Data) => Promise<void>,
): Promise<void> {
  requireFile(url);
  const { pending } = await migrations.stateAt(url);
  if (pending.some((name) => name.endsWith(migration))) return;
  const database = await Database.open(url);
  try {
    await work(database);
  } finally {
    await database.close();
  }
}

/** The last line of a command's help: the database that it would use. */
export function databaseNote(url: string, variable = 'DATABASE_URL'): string {
  return `The database is the one that ${variable} names, now ${withoutSecrets(url)}`;
}

/** Maximum number of accounts in a message. */
const MAX_LISTED = 10;

async function listAccounts(db: Data): Promise<string> {
  const names = await db.prisma.account.findMany({
    select: { name: true },
    orderBy: { id: 'asc' },
    take: MAX_LISTED + 1,
  });
  if (names.length === 0) return 'There is none yet: start the service once, which makes "default".';
  const listed = names.slice(0, MAX_LISTED).map(({ name }) => JSON.stringify(name));
  return `These exist: ${listed.join(', ')}${names.length > MAX_LISTED ? ', and more, which "npm run accounts -- list" shows' : ''}.`;
}

/** The account of that name, as a writer without a key. @throws OperatorError if there is none */
export async function accountNamed(db: Data, name: string): Promise<Writer> {
  const account = await db.prisma.account.findUnique({ where: { name } });
  if (account === null)
    throw new OperatorError(`There is no account ${JSON.stringify(name)}. ${await listAccounts(db)}`);
  return { ...OPERATOR, accountId: account.id };
}

/** The services of the domain, from the database and the configuration. @throws OperatorError if the service was never started */
export async function servicesIn(db: Data, config: Config, lists = new OperatorLists()): Promise<Services> {
  const domain = await db.prisma.domain.findFirst({ where: { isDefault: true } });
  if (domain === null)
    throw new OperatorError(
      'The database has no default domain yet: start the service once, with its BASE_URL.',
    );
  return createServices(
    { ...config, baseUrl: getBaseUrl(config) },
    {
      defaultDomainId: domain.id,
      lists,
      resolveTxt: () => Promise.reject(new Error('no domain is verified here')),
    },
  );
}

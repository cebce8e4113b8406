import type { Config } from '../config.ts';
import { type Data, Database } from '../db/database.ts';
import { migrationStateOf } from '../db/migration-state.ts';
import { announceWrite } from '../db/postgresql/replicas.ts';
import { fileExists, pathOf } from '../db/sqlite/file.ts';
import { providerOf } from '../db/url.ts';
import { OperatorError } from '../operator-error.ts';
import { withoutSecrets } from '../secrets.ts';

/**
 * Makes sure that the database at `url` exists and has all migrations: only the start and `migrate` apply them.
 */
async function requireMigrated(url: string): Promise<void> {
  if (providerOf(url) === 'sqlite' && !fileExists(url))
    throw new OperatorError(
      `There is no file ${withoutSecrets(pathOf(url))}: run "npm run migrate", or start the service, first.`,
    );
  const { pending } = await migrationStateOf(url);
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

/** The last line of a command's help: the database that it would use. */
export function databaseNote(url: string, variable = 'DATABASE_URL'): string {
  return `The database is the one that ${variable} names, now ${withoutSecrets(url)}`;
}

import { ConfigError, readConfig } from '../config.ts';
import { type Db, openDatabase } from '../db/client.ts';
import { CopyError } from '../db/copy.ts';
import { applyMigrations } from '../db/migrate.ts';
import { DomainError } from '../domain/errors.ts';
import { oneLine } from '../one-line.ts';

/** The command line is wrong; told with a hint to the help. */
export class UsageError extends Error {}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message} See --help.`;
  if (error instanceof DomainError || error instanceof ConfigError || error instanceof CopyError)
    return error.message;
  if (error instanceof TypeError && 'code' in error) return `${error.message} See --help.`;
  return `Failed: ${oneLine(error)}`;
}

/** Runs a command on the database that the environment names; a failure is told in one line, with exit code 1. */
export async function runCommand(work: (url: string) => Promise<void>): Promise<void> {
  try {
    await work(readConfig(process.env).databaseUrl);
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = 1;
  }
}

/** Runs `work` on the database at `url`, as this program's version wants it, and closes it. */
export async function withDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  await applyMigrations(url);
  const database = await openDatabase(url);
  return work(database.client).finally(() => database.close());
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

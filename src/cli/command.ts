import { ConfigError, readConfig } from '../config.ts';
import { adviceOn } from '../db/advice.ts';
import { type Db, openDatabase } from '../db/client.ts';
import { CopyError } from '../db/copy.ts';
import { applyMigrations } from '../db/migrate.ts';
import { DomainError } from '../domain/errors.ts';
import { oneLine } from '../one-line.ts';

/** The command line is wrong; told with a hint to the help. */
export class UsageError extends Error {}

function explain(error: unknown, url: string): string {
  if (error instanceof UsageError) return `${error.message} See --help.`;
  if (error instanceof DomainError || error instanceof ConfigError || error instanceof CopyError)
    return error.message;
  if (error instanceof TypeError && 'code' in error) return `${error.message} See --help.`;
  return adviceOn(error, url, 'DATABASE_URL') ?? `Failed: ${oneLine(error)}`;
}

/** Runs a command on the database that the environment names; a failure is told in one line, with exit code 1. */
export async function runCommand(work: (url: string) => Promise<void>): Promise<void> {
  let url = '';
  try {
    url = readConfig(process.env).databaseUrl;
    await work(url);
  } catch (error) {
    process.stderr.write(`${explain(error, url)}\n`);
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

/** Rows as lines of columns of equal width. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

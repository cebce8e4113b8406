import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  adapterFor,
  type Database,
  isLocked,
  type Provider,
  providerOf,
  requireProvider,
  whenUnlocked,
} from './client.ts';
import { noFilters, withSchemaEngine } from './schema-engine.ts';

const FOLDER = fileURLToPath(new URL('../../prisma/migrations/', import.meta.url));

export function migrationsFolder(provider: Provider): string {
  return join(FOLDER, provider);
}

/** The names of the migrations that the program carries, oldest first. */
export function knownMigrations(provider: Provider): string[] {
  return readdirSync(migrationsFolder(provider), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** The migrations as the schema engine takes them. */
export function migrationList(provider: Provider) {
  const baseDir = migrationsFolder(provider);
  return {
    baseDir,
    lockfile: { path: 'migration_lock.toml', content: `provider = "${provider}"\n` },
    shadowDbInitScript: '',
    migrationDirectories: knownMigrations(provider).map((path) => ({
      path,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: readFileSync(join(baseDir, path, 'migration.sql'), 'utf8') },
      },
    })),
  };
}

/** What a statement found in its first column. */
type Ask = (statement: string) => Promise<unknown[]>;

async function pending(provider: Provider, ask: Ask): Promise<string[]> {
  const tables = await ask(
    provider === 'sqlite'
      ? 'SELECT name FROM sqlite_master'
      : "SELECT to_regclass('_prisma_migrations')::text",
  );
  if (!tables.some((name) => String(name).replaceAll('"', '') === '_prisma_migrations'))
    return knownMigrations(provider);
  const names = await ask(
    'SELECT migration_name FROM _prisma_migrations WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL',
  );
  return knownMigrations(provider).filter((name) => !names.includes(name));
}

/** The names of the migrations that the database does not have yet, oldest first. */
export function pendingMigrations({ client, provider }: Database): Promise<string[]> {
  return pending(provider, async (statement) => {
    const rows = await client.$queryRawUnsafe<object[]>(statement);
    return rows.map((row) => Object.values(row)[0]);
  });
}

/**
 * The names of the migrations that the database at `url` does not have yet. Nothing stays open, and no Prisma client is
 * made, which takes longer than to ask.
 */
export async function pendingMigrationsOf(url: string): Promise<string[]> {
  const provider = requireProvider(url);
  const connection = await (await adapterFor(url)).connect();
  const ask: Ask = async (sql) =>
    (await connection.queryRaw({ sql, args: [], argTypes: [] })).rows.map(([first]) => first);
  const read = () => pending(provider, ask);
  return (provider === 'sqlite' ? whenUnlocked(read) : read()).finally(() => connection.dispose());
}

/**
 * Applies what is pending on the database at `url` and returns the names of what was applied. Several processes may call
 * it at once: one applies, the others wait for it and find nothing to do.
 *
 * A SQLite file must not be open elsewhere while something is pending: the engine takes it for itself alone.
 */
export async function applyMigrations(url: string): Promise<string[]> {
  const provider = providerOf(url);
  if (provider === null || (await pendingMigrationsOf(url)).length === 0) return [];
  try {
    const { appliedMigrationNames } = await withSchemaEngine(url, (engine) =>
      engine.applyMigrations({ migrationsList: migrationList(provider), filters: noFilters }),
    );
    return appliedMigrationNames;
  } catch (error) {
    if (provider !== 'sqlite' || !isLocked(error)) throw error;
    // Another process may have been the one to apply.
    if ((await pendingMigrationsOf(url)).length === 0) return [];
    throw new Error('migrations are pending, and another process has the SQLite file open: stop it first');
  }
}

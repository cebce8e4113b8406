import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Provider } from '../src/db/connection/client.ts';
import { knownMigrations, migrationsFolder, scriptOf } from '../src/db/migrate.ts';
import { noFilters, withSchemaEngine } from './schema-engine.ts';

const MODELS = fileURLToPath(new URL('../prisma/schema.prisma', import.meta.url));

/** SQLite's index of texts, as the tables that it is made of: no model of ours. PostgreSQL's is no table, but it has counts that are no records. */
const external: Record<Provider, string[]> = {
  sqlite: ['', '_config', '_data', '_docsize', '_idx'].map((part) => `LinkText${part}`),
  postgresql: ['public.KeyUse', 'public.ClickReceipt'],
};

/** The migrations as the schema engine takes them. */
function migrationList(provider: Provider) {
  return {
    baseDir: migrationsFolder(provider),
    lockfile: { path: 'migration_lock.toml', content: `provider = "${provider}"\n` },
    shadowDbInitScript: '',
    migrationDirectories: knownMigrations(provider).map((path) => ({
      path,
      migrationFile: {
        path: 'migration.sql',
        content: { tag: 'ok' as const, value: scriptOf(provider, path) },
      },
    })),
  };
}

/** Text compares by code point on PostgreSQL too, whatever the locale of the database: both databases sort alike. */
function byCodePoint(sql: string): string {
  return sql.replace(/^(\s+"\w+" TEXT)\b/gm, '$1 COLLATE "C"');
}

/**
 * The SQL that takes the committed migrations to the models, or null where they agree.
 * `url` names a server whose shadow databases may be made and dropped; nothing else on it is touched.
 */
export async function diffToModels(provider: Provider, url: string): Promise<string | null> {
  const content = readFileSync(MODELS, 'utf8').replace('provider = "sqlite"', `provider = "${provider}"`);
  const { exitCode, stdout } = await withSchemaEngine(url, (engine) =>
    engine.diff({
      from: { tag: 'migrations', ...migrationList(provider) },
      to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content }] },
      script: true,
      exitCode: true,
      filters: { ...noFilters, externalTables: external[provider] },
    }),
  );
  if (exitCode === 0) return null;
  const sql = stdout ?? '';
  return provider === 'postgresql' ? byCodePoint(sql) : sql;
}

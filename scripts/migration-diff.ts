import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { migrations } from '../src/db/migrations.ts';
import type { Provider } from '../src/engine/db/url.ts';
import { noFilters, withSchemaEngine } from './schema-engine.ts';

/** A change for which no migration can be generated; the message says what to write instead. */
export class WrittenByHand extends Error {}

/** Statements that lose data, or that a table with rows refuses, and what to write instead. */
const harmful: readonly (readonly [RegExp, string])[] = [
  [/^DROP TABLE .*/, 'deletes a table: if it was renamed, write ALTER TABLE "OLD" RENAME TO "NEW"'],
  [
    /\bDROP COLUMN +"\w+"/,
    'deletes a column: if it was renamed, write ALTER TABLE … RENAME COLUMN "OLD" TO "NEW"',
  ],
  [
    /\bADD COLUMN +"\w+"(?!.*\bDEFAULT\b).*\bNOT NULL\b/,
    'adds a required column without a default, but existing rows have no value for it: give it a default, or make it optional',
  ],
  [
    /\bALTER COLUMN +"\w+" SET (NOT NULL|DATA TYPE).*/,
    'changes a column of existing rows: write how their values change',
  ],
];

/** @throws WrittenByHand if a migration loses data, or cannot be applied to tables with rows; it names every fault */
export function requireHarmless(migration: string): void {
  const lines = migration.split('\n').map((line) => line.trim().replace(/[,;]$/, ''));
  const faults = lines.flatMap((line) =>
    harmful.flatMap(([pattern, why]) => (pattern.test(line) ? `${line}\n  ${why}.` : [])),
  );
  for (const [, table, column] of migration.matchAll(/^CREATE UNIQUE INDEX .* ON "(\w+)" ?\("(\w+)"\)/gm))
    if (new RegExp(`ADD COLUMN +"${column}" .*\\bDEFAULT\\b`).test(migration))
      faults.push(
        `"${table}"."${column}" is unique and has a default: all existing rows would have the same value. Make it optional.`,
      );
  if (faults.length > 0) throw new WrittenByHand(`it has to be written by hand:\n${faults.join('\n')}`);
}

/** The models, as committed. */
export function readModels(): string {
  return readFileSync(fileURLToPath(new URL('../prisma/schema.prisma', import.meta.url)), 'utf8');
}

/** Tables without a model: receipts of clicks, SQLite's full-text index, and PostgreSQL's counts of key uses. */
const external: Record<Provider, string[]> = {
  sqlite: ['ClickReceipt', ...['', '_config', '_data', '_docsize', '_idx'].map((part) => `LinkText${part}`)],
  postgresql: ['public.KeyUse', 'public.ClickReceipt'],
};

/** The migrations in the schema engine's form, and `next` as one more. */
function migrationList(provider: Provider, next: string) {
  const scripts = migrations
    .known(provider)
    .map((path) => ({ path, value: migrations.scriptOf(provider, path) }));
  if (next !== '') scripts.push({ path: 'next', value: next });
  return {
    baseDir: migrations.folderOf(provider),
    lockfile: { path: 'migration_lock.toml', content: `provider = "${provider}"\n` },
    shadowDbInitScript: '',
    migrationDirectories: scripts.map(({ path, value }) => ({
      path,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok' as const, value } },
    })),
  };
}

/** Makes PostgreSQL compare text by code point, whatever the database's locale, so that both databases sort equally. */
function byCodePoint(sql: string): string {
  return sql.replace(/^((?:(?:ALTER TABLE "\w+" )?ADD COLUMN)?\s+"\w+" TEXT)\b/gm, '$1 COLLATE "C"');
}

/** The models for a database. Numbers that SQLite stores in 64 bits as it is are BIGINT on PostgreSQL; the clients read both alike. */
function modelsFor(provider: Provider, models: string): string {
  const content = models.replace('provider = "sqlite"', `provider = "${provider}"`);
  return provider === 'sqlite'
    ? content
    : content.replace(/^(\s+\w+\s+)Int\b(?=.*\/\/ BIGINT on PostgreSQL$)/gm, '$1BigInt');
}

/**
 * The SQL for the difference between the committed migrations and the models, or null if they agree.
 * @param url a server of its own, on which the schema engine leaves what it likes
 * @param next a migration that is not committed yet
 */
export async function diffToModels(
  provider: Provider,
  url: string,
  models = readModels(),
  next = '',
): Promise<string | null> {
  const { exitCode, stdout } = await withSchemaEngine(url, (engine) =>
    engine.diff({
      from: { tag: 'migrations', ...migrationList(provider, next) },
      to: {
        tag: 'schemaDatamodel',
        files: [{ path: 'schema.prisma', content: modelsFor(provider, models) }],
      },
      script: true,
      exitCode: true,
      filters: { ...noFilters, externalTables: external[provider] },
    }),
  );
  if (exitCode === 0) return null;
  const sql = stdout ?? '';
  return provider === 'postgresql' ? byCodePoint(sql) : sql;
}

import { createHash, randomUUID } from 'node:crypto';
import { oneLine } from '../shared/one-line.ts';
import { unmark } from './backup.ts';
import { dateText } from './driver.ts';
import { knownMigrations, migrationStateOf, READ_TABLE, scriptOf, stateOf } from './migration-state.ts';
import { connectTo, inspect, PoolerBetween } from './postgresql/client.ts';
import { openFile } from './sqlite/file.ts';
import { type Provider, requireProvider } from './url.ts';

// The table is Prisma's own, so that its tools understand the database too.

const MAKE_TABLE: Readonly<Record<Provider, string>> = {
  sqlite: `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" TEXT PRIMARY KEY NOT NULL, "checksum" TEXT NOT NULL, "finished_at" DATETIME, "migration_name" TEXT NOT NULL, "logs" TEXT,
    "rolled_back_at" DATETIME, "started_at" DATETIME NOT NULL DEFAULT current_timestamp,
    "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0
  )`,
  postgresql: `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL, "checksum" VARCHAR(64) NOT NULL, "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL, "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ, "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(), "applied_steps_count" INTEGER NOT NULL DEFAULT 0
  )`,
};

function rowOf(provider: Provider, name: string): string[] {
  const checksum = createHash('sha256').update(scriptOf(provider, name)).digest('hex');
  const now = dateText(new Date());
  return [randomUUID(), checksum, name, now, now];
}

const COLUMNS = '"id", "checksum", "migration_name", "started_at", "finished_at", "applied_steps_count"';

/** An error that names the migration that could not be applied. */
function failed(name: string, error: unknown): Error {
  return new Error(`the migration ${name} cannot be applied: ${oneLine(error)}`, { cause: error });
}

/** Receives the progress of migrations. */
export interface MigrationProgress {
  /** Called before a migration, the nth of all that are pending. */
  begins(migration: string, number: number, of: number): void;
  /** Called before waiting for another process that migrates the database. */
  waits(): void;
}

const silent: MigrationProgress = { begins() {}, waits() {} };

function applyToSqlite(url: string, progress: MigrationProgress): string[] {
  const file = openFile(url);
  const applied: string[] = [];
  let begun = 0;
  // A migration may recreate a table; dropping the old one must not delete rows that refer to it.
  file.pragma('foreign_keys = OFF');
  const applyNext = file.transaction((): string | null => {
    file.exec(MAKE_TABLE.sqlite);
    const present = file
      .prepare<[], { name: string }>(READ_TABLE)
      .all()
      .map(({ name }) => name);
    const [next, ...others] = knownMigrations('sqlite').filter((name) => !present.includes(name));
    if (next === undefined) return null;
    progress.begins(next, ++begun, begun + others.length);
    try {
      file.exec(scriptOf('sqlite', next));
    } catch (error) {
      throw failed(next, error);
    }
    if (file.prepare('PRAGMA foreign_key_check').all().length > 0)
      throw new Error(`the migration ${next} leaves records that refer to nothing`);
    file
      .prepare(`INSERT INTO "_prisma_migrations" (${COLUMNS}) VALUES (?, ?, ?, ?, ?, 1)`)
      .run(rowOf('sqlite', next));
    return next;
  });
  try {
    // Another process may have applied some or all of them while this one waited for the lock.
    for (let name = applyNext.immediate(); name !== null; name = applyNext.immediate()) applied.push(name);
  } finally {
    file.close();
  }
  return applied;
}

/** Prisma's number for its advisory lock of migrations. */
const LOCK = 72_707_369;

async function applyToPostgresql(url: string, progress: MigrationProgress): Promise<string[]> {
  const client = await connectTo(url, { statement_timeout: 0 }).catch(() => connectTo(url));
  const applied: string[] = [];
  try {
    if ((await inspect(client)).pooled)
      throw new PoolerBetween('a connection pooler stands before the database');
    // A migration ends with its process; PostgreSQL 13 does not have the setting.
    await client.query("SET client_connection_check_interval = '1s'").catch(() => {});
    const { rows } = await client.query<{ free: boolean }>('SELECT pg_try_advisory_lock($1) AS "free"', [
      LOCK,
    ]);
    if (!rows[0]?.free) {
      progress.waits();
      await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
    }
    await client.query(MAKE_TABLE.postgresql);
    const { pending } = await stateOf(
      'postgresql',
      async (statement) => (await client.query(statement)).rows,
    );
    for (const [index, name] of pending.entries()) {
      progress.begins(name, index + 1, pending.length);
      await client.query('BEGIN');
      // Deferred triggers would prevent a migration from altering tables whose rows it has changed.
      await client.query('SET CONSTRAINTS ALL IMMEDIATE');
      await client.query(scriptOf('postgresql', name)).catch((error: unknown) => {
        throw failed(name, error);
      });
      await client.query(
        `INSERT INTO "_prisma_migrations" (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, 1)`,
        rowOf('postgresql', name),
      );
      await client.query('COMMIT');
      applied.push(name);
    }
  } finally {
    // Rolls back a failed transaction, and releases the lock.
    await client.end();
  }
  return applied;
}

/**
 * Applies the pending migrations to the database at `url`, each in a transaction, and returns their names. Several processes
 * may call it at once: one applies them, the others wait and find nothing to do.
 * @throws PoolerBetween, before anything is changed
 */
export async function applyMigrations(url: string, progress = silent): Promise<string[]> {
  const provider = requireProvider(url);
  if (provider === 'sqlite') unmark(url);
  if ((await migrationStateOf(url)).pending.length === 0) return [];
  return provider === 'sqlite' ? applyToSqlite(url, progress) : applyToPostgresql(url, progress);
}

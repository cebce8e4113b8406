import { createHash, randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { oneLine } from '../tools/one-line.ts';
import { unmark } from './backup.ts';
import { dateText } from './driver.ts';
import { isForbidden } from './errors.ts';
import { type Migrations, READ_TABLE } from './migration-state.ts';
import { connectTo, makeSettings, PoolerBetween } from './postgresql/client.ts';
import { DEFAULT_SCHEMA, qualified, quoted } from './postgresql/schema.ts';
import { ForbiddenSchema, inspectUrl, requireSchema } from './postgresql/session.ts';
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

function makeRow(name: string, script: string): string[] {
  const checksum = createHash('sha256').update(script).digest('hex');
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

function applyToSqlite(migrations: Migrations, url: string, progress: MigrationProgress): string[] {
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
    const [next, ...others] = migrations.known('sqlite').filter((name) => !present.includes(name));
    if (next === undefined) return null;
    progress.begins(next, ++begun, begun + others.length);
    const script = migrations.scriptOf('sqlite', next);
    try {
      file.exec(script);
    } catch (error) {
      throw failed(next, error);
    }
    if (file.prepare('PRAGMA foreign_key_check').all().length > 0)
      throw new Error(`the migration ${next} leaves records that refer to nothing`);
    file
      .prepare(`INSERT INTO "_prisma_migrations" (${COLUMNS}) VALUES (?, ?, ?, ?, ?, 1)`)
      .run(makeRow(next, script));
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

/** A number of its own for each schema but `public`, as two parameters say. */
const LOCK_OF_SCHEMA = `CASE $2::text WHEN '${DEFAULT_SCHEMA}' THEN $1::bigint ELSE hashtextextended($2, $1) END`;

async function lock(client: Client, schema: string, progress: MigrationProgress): Promise<void> {
  const { rows } = await client.query<{ free: boolean }>(
    `SELECT pg_try_advisory_lock(${LOCK_OF_SCHEMA}) AS "free"`,
    [LOCK, schema],
  );
  if (rows[0]?.free) return;
  progress.waits();
  await client.query(`SELECT pg_advisory_lock(${LOCK_OF_SCHEMA})`, [LOCK, schema]);
}

/** The script of a migration. An extension of the database may be in another schema, which is not searched. */
async function scriptFor(client: Client, schema: string, script: string): Promise<string> {
  const { rows } = await client.query<{ of: string }>(
    `SELECT "nspname" AS "of" FROM pg_extension JOIN pg_namespace ON pg_namespace."oid" = "extnamespace" WHERE "extname" = 'pg_trgm'`,
  );
  const of = rows[0]?.of ?? schema;
  return of === schema ? script : script.replaceAll('gin_trgm_ops', `${quoted(of)}.gin_trgm_ops`);
}

/** Has the functions that a script made find the tables of their schema also behind a pooler, which searches others. */
async function bindFunctions(client: Client, schema: string, script: string): Promise<void> {
  if (schema === DEFAULT_SCHEMA) return;
  const names = [...script.matchAll(/\bFUNCTION "(\w+)"\(/g)].map(([, name]) => name);
  const { rows } = await client.query<{ name: string }>(
    'SELECT "oid"::regprocedure::text AS "name" FROM pg_proc WHERE "pronamespace" = $1::regnamespace AND "proname" = ANY ($2)',
    [quoted(schema), names],
  );
  for (const { name } of rows)
    await client.query(`ALTER FUNCTION ${name} SET search_path = ${quoted(schema)}`);
}

async function applyPending(
  migrations: Migrations,
  client: Client,
  schema: string,
  progress: MigrationProgress,
): Promise<string[]> {
  const applied: string[] = [];
  const ask = (statement: string, ...values: string[]) =>
    client.query(statement, values).then(({ rows }) => rows);
  const { pending } = await migrations.readState('postgresql', schema, ask);
  for (const [index, name] of pending.entries()) {
    progress.begins(name, index + 1, pending.length);
    await client.query('BEGIN');
    // Deferred triggers would prevent a migration from altering tables whose rows it has changed.
    await client.query('SET CONSTRAINTS ALL IMMEDIATE');
    const written = migrations.scriptOf('postgresql', name);
    const script = await scriptFor(client, schema, written);
    await client.query(script).catch((error: unknown) => {
      throw failed(name, error);
    });
    await bindFunctions(client, schema, script);
    await client.query(
      `INSERT INTO "_prisma_migrations" (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, 1)`,
      makeRow(name, written),
    );
    await client.query('COMMIT');
    applied.push(name);
  }
  return applied;
}

async function applyToPostgresql(
  migrations: Migrations,
  url: string,
  { progress = silent, newSchema = false }: MigrationOptions,
): Promise<string[]> {
  const session = await inspectUrl(url);
  if (session.pooled) throw new PoolerBetween('a connection pooler stands before the database');
  const schema = requireSchema(session, newSchema);
  // A migration may take longer than the role's statements may, and wait longer for a lock.
  const settings = { ...makeSettings(false, schema), statement_timeout: '0', lock_timeout: '0' };
  const client = await connectTo(url, {}, settings);
  try {
    // A migration ends with its process; PostgreSQL 13 does not have the setting.
    await client.query("SET client_connection_check_interval = '1s'").catch(() => {});
    await lock(client, schema, progress);
    const make = session.hasSchema ? '' : `CREATE SCHEMA IF NOT EXISTS ${quoted(schema)};`;
    await client.query(make + qualified(MAKE_TABLE.postgresql, schema)).catch((error: unknown) => {
      throw isForbidden(error) ? new ForbiddenSchema(session) : error;
    });
    return await applyPending(migrations, client, schema, progress);
  } finally {
    // Rolls back a failed transaction, and releases the lock.
    await client.end();
  }
}

/** Options of applying migrations. */
export interface MigrationOptions {
  readonly progress?: MigrationProgress;
  /** True if tables may be made beside those of another installation in the same database. */
  readonly newSchema?: boolean;
}

/**
 * Applies the pending migrations to the database at `url`, each in a transaction, and returns their names. Several processes
 * may call it at once: one applies them, the others wait and find nothing to do.
 * @throws PoolerBetween, before anything is changed
 */
export async function applyAll(
  migrations: Migrations,
  url: string,
  options: MigrationOptions = {},
): Promise<string[]> {
  const provider = requireProvider(url);
  if (provider === 'sqlite') unmark(url);
  if ((await migrations.stateAt(url, options.newSchema)).pending.length === 0) return [];
  return provider === 'sqlite'
    ? applyToSqlite(migrations, url, options.progress ?? silent)
    : applyToPostgresql(migrations, url, options);
}

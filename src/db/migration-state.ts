import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OperatorError } from '../operator-error.ts';
import { projectFile } from '../own-files.ts';
import type { Database } from './any-database.ts';
import { connectTo } from './postgresql/client.ts';
import { qualified } from './postgresql/schema.ts';
import { inspect, requireSchema, UTF8 } from './postgresql/session.ts';
import { fileExists, openFile } from './sqlite/file.ts';
import { namedSchema, type Provider, requireProvider } from './url.ts';

const FOLDER = fileURLToPath(projectFile('prisma/migrations/'));

export function migrationsFolder(provider: Provider): string {
  return join(FOLDER, provider);
}

export function knownMigrations(provider: Provider): string[] {
  return readdirSync(migrationsFolder(provider), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** True if a database with that many pending migrations is new. */
export function isNewWith(pending: number, url: string): boolean {
  return pending === knownMigrations(requireProvider(url)).length;
}

export function scriptOf(provider: Provider, name: string): string {
  return readFileSync(join(migrationsFolder(provider), name, 'migration.sql'), 'utf8');
}

const FIND_TABLE: Readonly<Record<Provider, string>> = {
  sqlite: `SELECT "name" FROM "sqlite_master" WHERE "name" = '_prisma_migrations'`,
  postgresql: `SELECT "tablename" AS "name" FROM pg_tables
    WHERE "schemaname" = $1 AND "tablename" = '_prisma_migrations'`,
};

export const READ_TABLE = `SELECT "migration_name" AS "name" FROM "_prisma_migrations"
  WHERE "finished_at" IS NOT NULL AND "rolled_back_at" IS NULL`;

/** Runs a statement whose rows have a name. */
type Ask = (statement: string, ...values: string[]) => Promise<readonly { readonly name: unknown }[]>;

/** The names of migrations, oldest first. */
export interface MigrationState {
  readonly pending: string[];
  /** Those of the database that this version does not have: a newer version has used it. */
  readonly unknown: string[];
}

/** The state of a database that is not open yet. */
interface FoundState extends MigrationState {
  /** A reason why it cannot store all texts; null if it can. */
  readonly lacking: string | null;
}

/** Returns why a database cannot store all texts; null if it can. @param encoding undefined if it is not known */
export function lackingIn(encoding: string | undefined): string | null {
  return encoding === undefined || encoding === UTF8
    ? null
    : `is in ${encoding} instead of UTF8: texts with other characters are refused`;
}

export async function stateOf(provider: Provider, schema: string, ask: Ask): Promise<MigrationState> {
  const known = knownMigrations(provider);
  const values = provider === 'postgresql' ? [schema] : [];
  if ((await ask(FIND_TABLE[provider], ...values)).length === 0) return { pending: known, unknown: [] };
  const applied = (await ask(READ_TABLE)).map(({ name }) => String(name));
  return {
    pending: known.filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !known.includes(name)).sort(),
  };
}

/** The names of the migrations that the database does not have yet, oldest first. */
export async function pendingMigrations({ prisma, provider, schema }: Database): Promise<string[]> {
  return (await stateOf(provider, schema, prisma.$queryRawUnsafe.bind(prisma))).pending;
}

/** @throws if the database cannot be read, lacks migrations, or is not the one any more that was opened */
export async function requireReadable(db: Database): Promise<void> {
  await db.requireOpened?.();
  const { length } = await pendingMigrations(db);
  if (length > 0) throw new OperatorError(`The database lacks ${length} of this version's migrations.`);
}

/**
 * The migrations of the database at `url`, without a Prisma client, whose creation takes longer than the query.
 * @param mayBeNew true if the tables may be made beside those of another installation
 */
export async function migrationStateOf(url: string, mayBeNew = false): Promise<FoundState> {
  const provider = requireProvider(url);
  if (provider === 'sqlite') {
    if (!fileExists(url)) return { pending: knownMigrations(provider), unknown: [], lacking: null };
    const file = openFile(url);
    try {
      const ask = async (statement: string) => file.prepare<[], { name: string }>(statement).all();
      return { ...(await stateOf(provider, 'main', ask)), lacking: null };
    } finally {
      file.close();
    }
  }
  const client = await connectTo(url);
  try {
    const session = await inspect(client, namedSchema(url));
    const schema = requireSchema(session, mayBeNew);
    const ask = (statement: string, ...values: string[]) =>
      client.query(qualified(statement, schema), values).then(({ rows }) => rows);
    return { ...(await stateOf(provider, schema, ask)), lacking: lackingIn(session.encoding) };
  } finally {
    await client.end();
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectTo } from './postgresql/client.ts';
import { qualified } from './postgresql/schema.ts';
import { inspect, requireSchema, UTF8 } from './postgresql/session.ts';
import { fileExists, openFile } from './sqlite/file.ts';
import { namedSchema, type Provider, requireProvider } from './url.ts';

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

/** The migrations of a product: a folder for each database, in which each migration has a folder with its script. */
export class Migrations {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  folderOf(provider: Provider): string {
    return join(this.#folder, provider);
  }

  /** The names of all of them, oldest first. */
  known(provider: Provider): string[] {
    return readdirSync(this.folderOf(provider), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  }

  scriptOf(provider: Provider, name: string): string {
    return readFileSync(join(this.folderOf(provider), name, 'migration.sql'), 'utf8');
  }

  /** Returns true if a database with that many pending migrations is new. */
  isNewWith(pending: number, url: string): boolean {
    return pending === this.known(requireProvider(url)).length;
  }

  async readState(provider: Provider, schema: string, ask: Ask): Promise<MigrationState> {
    const known = this.known(provider);
    const values = provider === 'postgresql' ? [schema] : [];
    if ((await ask(FIND_TABLE[provider], ...values)).length === 0) return { pending: known, unknown: [] };
    const applied = (await ask(READ_TABLE)).map(({ name }) => String(name));
    return {
      pending: known.filter((name) => !applied.includes(name)),
      unknown: applied.filter((name) => !known.includes(name)).sort(),
    };
  }

  /**
   * The migrations of the database at `url`, without a Prisma client, whose creation takes longer than the query.
   * @param mayBeNew true if the tables may be made beside those of another installation
   */
  async stateAt(url: string, mayBeNew = false): Promise<FoundState> {
    const provider = requireProvider(url);
    if (provider === 'sqlite') {
      if (!fileExists(url)) return { pending: this.known(provider), unknown: [], lacking: null };
      const file = openFile(url);
      try {
        const ask = async (statement: string) => file.prepare<[], { name: string }>(statement).all();
        return { ...(await this.readState(provider, 'main', ask)), lacking: null };
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
      return { ...(await this.readState(provider, schema, ask)), lacking: lackingIn(session.encoding) };
    } finally {
      await client.end();
    }
  }
}

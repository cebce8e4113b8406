import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { FileConnection } from '../src/engine/db/sqlite/file-connection.ts';
import { requireProvider } from '../src/engine/db/url.ts';

export type SchemaEngine = bindings.SchemaEngine;
export const noFilters = { externalTables: [], externalEnums: [] };

function isLoaded(): boolean {
  try {
    return bindings.version() !== '';
  } catch {
    return false;
  }
}

/** The bindings have a single instance, which a second one would break: only they know whether it is loaded. */
function load(): void {
  if (isLoaded()) return;
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
  const module = new WebAssembly.Module(readFileSync(join(folder, 'schema_engine_bg.wasm')));
  const instance = new WebAssembly.Instance(module, { './schema_engine_bg.js': { ...bindings } });
  bindings.__wbg_set_wasm(instance.exports);
  // The types of WebAssembly's exports lack the generated start function.
  (instance.exports as { __wbindgen_start(): void }).__wbindgen_start();
}

interface Result {
  fields: { dataTypeID: number }[];
}

/** The method by which the PostgreSQL adapter calls the driver; not part of the adapters' common interface. */
interface AsksPostgres {
  performIO(query: SqlQuery): Promise<Result | Result[]>;
}

const CHAR = 18;
const TEXT = 25;

/** The engine expects the catalogue's type "char" as characters; the adapter does not know that type. */
function readsCatalogue(adapter: SqlDriverAdapter): void {
  // The adapter of @prisma/adapter-pg has this method; its type does not say so.
  const pg = adapter as SqlDriverAdapter & AsksPostgres;
  const [performIO, queryRaw] = [pg.performIO.bind(pg), pg.queryRaw.bind(pg)];
  const characters = new WeakMap<SqlQuery, Set<number>>();
  pg.performIO = async (query) => {
    const result = await performIO(query);
    const fields = Array.isArray(result) ? [] : result.fields;
    characters.set(
      query,
      new Set(fields.flatMap(({ dataTypeID }, index) => (dataTypeID === CHAR ? [index] : []))),
    );
    for (const field of fields) if (field.dataTypeID === CHAR) field.dataTypeID = TEXT;
    return result;
  };
  pg.queryRaw = async (query) => {
    const result = await queryRaw(query);
    const isCharacter = (index: number) => characters.get(query)?.has(index);
    return {
      ...result,
      columnTypes: result.columnTypes.map((type, index) =>
        isCharacter(index) ? ColumnTypeEnum.Character : type,
      ),
    };
  };
}

/** The engine's query for the condition of a partial index; this build of SQLite treats text in double quotes as a column. */
const NAME_IN_DOUBLE_QUOTES = /^(SELECT sql FROM sqlite_master WHERE .* name = )"(\w+)"/;

/** The part of an adapter's factory that the engine needs. */
type Connects = Pick<SqlMigrationAwareDriverAdapterFactory, 'connect' | 'connectToShadowDb'>;

/** Connects to a SQLite file without the service's turns: the engine is its only user, and gets each script whole. */
function sqliteConnections(url: string): Connects {
  const open = async (file: string): Promise<SqlDriverAdapter> => {
    const connection = await FileConnection.open(file, []);
    const executeScript = async (script: string) => connection.script(script);
    return {
      provider: 'sqlite',
      adapterName: 'linkspace-sqlite',
      queryRaw: async (query) =>
        connection.query({ ...query, sql: query.sql.replace(NAME_IN_DOUBLE_QUOTES, "$1'$2'") }),
      async executeRaw(query) {
        if (query.args.length > 0) return connection.execute(query);
        await executeScript(query.sql);
        return 0;
      },
      executeScript,
      startTransaction: () => Promise.reject(new Error('the engine begins its transactions itself')),
      dispose: async () => connection.close(),
    };
  };
  return { connect: () => open(url), connectToShadowDb: () => open(':memory:') };
}

/** Connects to PostgreSQL; a migration's script is one statement, since the adapter would split it at every semicolon. */
function postgresqlConnections(url: string): Connects {
  const factory = new PrismaPg(url);
  const prepare = (adapter: SqlDriverAdapter): SqlDriverAdapter => {
    readsCatalogue(adapter);
    adapter.executeScript = async (script: string) => {
      await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
    };
    return adapter;
  };
  return {
    connect: async () => prepare(await factory.connect()),
    connectToShadowDb: async () => prepare(await factory.connectToShadowDb()),
  };
}

/**
 * Runs `work` with Prisma's schema engine (WASM) on the database at `url`, and closes all of its connections: on SQLite, the
 * engine holds the file's lock until then.
 */
export async function withSchemaEngine<T>(
  url: string,
  work: (engine: SchemaEngine) => Promise<T>,
): Promise<T> {
  load();
  const provider = requireProvider(url);
  const connections = provider === 'sqlite' ? sqliteConnections(url) : postgresqlConnections(url);
  const opened: SqlDriverAdapter[] = [];
  const track = (adapter: SqlDriverAdapter): SqlDriverAdapter => {
    opened.push(adapter);
    return adapter;
  };
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    provider: provider === 'sqlite' ? 'sqlite' : 'postgres',
    adapterName: 'linkspace-migrations',
    connect: async () => track(await connections.connect()),
    connectToShadowDb: async () => track(await connections.connectToShadowDb()),
  };
  const bound = bindMigrationAwareSqlAdapterFactory(factory);
  const datasource = `datasource db {\n  provider = "${provider}"\n}\n`;
  try {
    const engine = await bindings.SchemaEngine.new(
      { datamodels: [['schema.prisma', datasource]] },
      () => {},
      bound,
    );
    return await work(engine);
  } catch (error) {
    // The bound adapter keeps the database's error; the engine's own error only has its number.
    const id = /External error id#(\d+)/.exec(String(error))?.[1];
    const original = id === undefined ? undefined : bound.errorRegistry.consumeError(Number(id));
    throw original?.error ?? error;
  } finally {
    await Promise.allSettled(opened.map((adapter) => adapter.dispose()));
  }
}

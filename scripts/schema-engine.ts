import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import { type Provider, requireProvider } from '../src/engine/db/url.ts';

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

/**
 * The adapters cannot run a migration's script with a trigger: PostgreSQL's splits it at every semicolon, SQLite's prepares
 * it as a single statement on a shadow database. Here the driver gets the whole script; on PostgreSQL this also makes each
 * migration one transaction.
 */
function runsScriptsWhole(provider: Provider, adapter: SqlDriverAdapter): SqlDriverAdapter {
  if (provider === 'sqlite') {
    const executeRaw = adapter.executeRaw.bind(adapter);
    adapter.executeRaw = async (query: SqlQuery) => {
      if (query.args.length > 0) return executeRaw(query);
      await adapter.executeScript(query.sql);
      return 0;
    };
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = (query) =>
      queryRaw({ ...query, sql: query.sql.replace(NAME_IN_DOUBLE_QUOTES, "$1'$2'") });
  } else {
    readsCatalogue(adapter);
    adapter.executeScript = async (script: string) => {
      await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
    };
  }
  return adapter;
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
  const inner = provider === 'sqlite' ? new PrismaBetterSqlite3({ url }) : new PrismaPg(url);
  const opened: SqlDriverAdapter[] = [];
  const track = (adapter: SqlDriverAdapter): SqlDriverAdapter => {
    opened.push(adapter);
    return runsScriptsWhole(provider, adapter);
  };
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    provider: inner.provider,
    adapterName: inner.adapterName,
    connect: async () => track(await inner.connect()),
    connectToShadowDb: async () => track(await inner.connectToShadowDb()),
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

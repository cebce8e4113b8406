import { AsyncLocalStorage } from 'node:async_hooks';
import { type Db, handleOf, setHandle, type Tx } from './db.ts';
import type { RawRows, Source } from './raw-source.ts';
import type { Sql } from './sql.ts';

/** The adapter's transaction behind a transaction of Prisma's client, which does not expose it. */
const begun = new AsyncLocalStorage<{ source?: Source }>();

/** Call it with each transaction that an adapter begins. */
export function registerTransaction(source: Source): void {
  const store = begun.getStore();
  if (store !== undefined) store.source = source;
}

/** The transaction that this code runs in; it may have ended. */
export function currentTransaction(): Source | undefined {
  return begun.getStore()?.source;
}

/** A transaction of Prisma's client that `readRows` can use too, and that has callbacks for after its commit. */
export function directTransaction<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  options: { maxWait: number; timeout: number; isolationLevel?: 'Serializable' },
): Promise<T> {
  const store: { source?: Source } = {};
  const begin = () =>
    db.$transaction((tx) => {
      const { source } = store;
      if (source === undefined) throw new Error('the adapter began no transaction');
      setHandle(tx, { source, onStatement: handleOf(db).onStatement, afterCommit: [] });
      return work(tx);
    }, options);
  return begun.run(store, begin);
}

const clientsForLong = new WeakMap<Db, Db>();

/** The same client for long reads: on SQLite, `readRows` runs them on a separate thread. */
export function forLongReads(db: Db): Db {
  const known = clientsForLong.get(db);
  if (known) return known;
  const client = new Proxy(db, {});
  setHandle(client, {
    onStatement: handleOf(db).onStatement,
    get source() {
      const { source } = handleOf(db);
      return source.long ? { provider: source.provider, readRaw: source.long.readRaw } : source;
    },
  });
  clientsForLong.set(db, client);
  return client;
}

/** A time in JSON: PostgreSQL's have no zone. */
function timestampIn(text: string): Date {
  return new Date(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
}

const conversions = {
  date: (value: unknown) => new Date(String(value)),
  boolean: Boolean,
  /** Records in JSON, whose times end with `At`. */
  list: (value: unknown) =>
    JSON.parse(String(value), (key, inner) =>
      typeof inner === 'string' && key.endsWith('At') ? timestampIn(inner) : inner,
    ),
} as const;

/** How the values of a column are converted. */
interface Converted {
  readonly convert: ((value: unknown) => unknown) | undefined;
  readonly of: string | undefined;
  readonly name: string;
  /** The value for null. */
  readonly none: unknown;
}

/** By the names of a statement's columns, which SQLite's prepared statements have once. */
const converted = new WeakMap<readonly string[], readonly Converted[]>();

function convertedOf({ names, kinds }: RawRows): readonly Converted[] {
  const known = converted.get(names);
  if (known !== undefined) return known;
  const columns = names.map((name, index) => {
    const isList = name.endsWith('[]');
    const kind = isList ? 'list' : kinds[index];
    const dot = name.indexOf('.');
    return {
      convert: kind && conversions[kind],
      of: dot < 0 ? undefined : name.slice(0, dot),
      name: name.slice(dot + 1, isList ? -2 : undefined),
      none: isList ? [] : null,
    };
  });
  converted.set(names, columns);
  return columns;
}

function rowsOf<Row>(raw: RawRows): Row[] {
  const columns = convertedOf(raw);
  return raw.rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i++) {
      const { convert, of, name, none } = columns[i] as Converted; // Both lists have the same length.
      const value = values[i];
      const given = value === null ? none : convert === undefined ? value : convert(value);
      if (of === undefined) row[name] = given;
      else if (name === 'id') row[of] = value === null ? null : { id: value };
      else if (row[of]) (row[of] as Record<string, unknown>)[name] = given;
    }
    return row as Row; // The caller says what the statement selects.
  });
}

/**
 * The rows of a statement. It bypasses Prisma's client, whose overhead for a list of ten is as long as the query itself.
 * Large numbers become numbers. Columns `space.id` and `space.name` become an object `space`, which is null without an id;
 * a column `pixels[]` with a list in JSON becomes a list `pixels`.
 */
export async function readRows<Row>(db: Db | Tx, statement: Sql): Promise<Row[]> {
  const { source, onStatement } = handleOf(db);
  const sql = source.provider === 'postgres' ? statement.text : statement.sql;
  const startedAt = performance.now();
  const raw = await source.readRaw(sql, statement.values);
  onStatement?.(sql, (performance.now() - startedAt) / 1000);
  return rowsOf(raw);
}

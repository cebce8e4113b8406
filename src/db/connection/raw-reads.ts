import { AsyncLocalStorage } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';
import { isoText } from '../date-text.ts';
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

/** What becomes of times: ISO text, as answers have it, or `Date`. */
type Times = 'text' | 'Date';

const conversions = {
  text: isoText,
  Date: (stored: string) => new Date(isoText(stored)),
} as const;

/** What makes a row of the values of a statement's columns. */
type MakeRow = (values: readonly unknown[]) => unknown;

/**
 * Compiled for the columns, so that all rows have one shape from the beginning: that takes a third of the time of adding
 * properties one by one.
 */
function compileRow({ names, kinds }: RawRows, times: Times): MakeRow {
  const time = conversions[times];
  /** Records in JSON, whose times end with `At`. */
  const list = (json: string) =>
    JSON.parse(json, (key, inner) => (typeof inner === 'string' && key.endsWith('At') ? time(inner) : inner));
  const written = (index: number) => {
    const value = `values[${index}]`;
    if (names[index]?.endsWith('[]')) return `${value} === null ? [] : list(${value})`;
    if (kinds[index] === 'time') return `${value} === null ? null : time(${value})`;
    return kinds[index] === 'boolean' ? `${value} === null ? null : Boolean(${value})` : value;
  };
  const objects = new Map<string, string[]>([['', []]]);
  const ids = new Map<string, number>();
  for (const [index, path] of names.entries()) {
    const [, of = '', name = ''] = /^(?:(.*?)\.)?(.*?)(?:\[\])?$/s.exec(path) ?? [];
    if (of !== '' && name === 'id') ids.set(of, index);
    const fields = objects.get(of) ?? [];
    objects.set(of, [...fields, `${JSON.stringify(name)}: ${written(index)}`]);
  }
  const own = objects.get('') ?? [];
  const joined = [...ids].map(
    ([of, id]) => `${JSON.stringify(of)}: values[${id}] === null ? null : { ${objects.get(of)?.join(', ')} }`,
  );
  return new Function('time', 'list', `return (values) => ({ ${[...own, ...joined].join(', ')} });`)(
    time,
    list,
  );
}

/** By the columns of statements. */
const compiled = new LRUCache<string, MakeRow>({ max: 500 });

function rowsOf<Row>(raw: RawRows, times: Times): Row[] {
  const key = `${times} ${raw.names.join()} ${raw.kinds.join()}`;
  const make = compiled.get(key) ?? compileRow(raw, times);
  compiled.set(key, make);
  return raw.rows.map(make) as Row[]; // The caller says what the statement selects.
}

/**
 * The rows of a statement. It bypasses Prisma's client, whose overhead for a list of ten is as long as the query itself.
 * Large numbers become numbers. Columns `space.id` and `space.name` become an object `space`, which is null without an id;
 * a column `pixels[]` with a list in JSON becomes a list `pixels`.
 */
export async function readRows<Row>(
  db: Db | Tx,
  statement: Sql,
  { times = 'Date' }: { times?: Times } = {},
): Promise<Row[]> {
  const { source, onStatement } = handleOf(db);
  const sql = source.provider === 'postgres' ? statement.text : statement.sql;
  const startedAt = performance.now();
  const raw = await source.readRaw(sql, statement.values);
  onStatement?.(sql, (performance.now() - startedAt) / 1000);
  return rowsOf(raw, times);
}

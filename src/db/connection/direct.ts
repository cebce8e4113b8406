import { AsyncLocalStorage } from 'node:async_hooks';
import { ColumnTypeEnum, type SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Sql } from '../reading/list.ts';
import type { Db, StatementListener } from './client.ts';
import type { RawRows, ReadsRaw } from './sqlite-statements.ts';
import type { Tx } from './transaction.ts';

/** A connection, or a transaction, of one of Prisma's adapters; of SQLite with a shorter way for reads. */
export type Source = SqlQueryable & Partial<ReadsRaw>;

interface Direct {
  readonly source: Source;
  readonly onStatement: StatementListener | undefined;
}

const directs = new WeakMap<object, Direct>();

/** Has `readRows` read by the client's own connections. */
export function readDirectly(db: Db, source: Source, onStatement: StatementListener | undefined): void {
  directs.set(db, { source, onStatement });
}

/** What a transaction of Prisma's client goes by; the client itself tells nobody. */
const begun = new AsyncLocalStorage<{ source?: Source }>();

/** To be told of each transaction that an adapter begins. */
export function tellTransaction(source: Source): void {
  const store = begun.getStore();
  if (store !== undefined) store.source = source;
}

/** The transaction in whose work this code runs, ended or not. */
export function currentTransaction(): Source | undefined {
  return begun.getStore()?.source;
}

/** A transaction of Prisma's client, by which `readRows` reads too. */
export function directTransaction<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  options: { maxWait: number; timeout: number; isolationLevel?: 'Serializable' },
): Promise<T> {
  const store: { source?: Source } = {};
  const begin = () =>
    db.$transaction((tx) => {
      const { source } = store;
      if (source !== undefined) directs.set(tx, { source, onStatement: directs.get(db)?.onStatement });
      return work(tx);
    }, options);
  return begun.run(store, begin);
}

const standIns = new WeakMap<object, () => object>();

/** Has `readRows` read by what `db` stands in for at the time: a client, or a transaction. */
export function standIn(db: Db, current: () => Db | Tx): void {
  standIns.set(db, current);
}

const text = { scalarType: 'string', arity: 'scalar' } as const;
const { DateTime, Boolean: Flag, Int64, Numeric } = ColumnTypeEnum;

/** The same by Prisma's adapter, which tells the types of columns by numbers. */
async function readByAdapter(source: Source, sql: string, args: unknown[]): Promise<RawRows> {
  const { columnNames, columnTypes, rows } = await source.queryRaw({
    sql,
    args,
    argTypes: args.map(() => text),
  });
  const kinds = columnTypes.map((type) => {
    if (type === DateTime) return 'date';
    if (type === Flag) return 'boolean';
    return type === Int64 || type === Numeric ? 'number' : undefined;
  });
  return { names: columnNames, kinds, rows };
}

const conversions = {
  date: (value: unknown) => new Date(String(value)),
  boolean: Boolean,
  number: Number,
} as const;

/**
 * The rows of a statement. It goes past Prisma's client, which takes as long for a list of ten as the database itself.
 * Large numbers come as numbers. Columns called `space.id` and `space.name` come as an object `space`, null without its id.
 */
export async function readRows<Row>(db: Db | Tx, statement: Sql): Promise<Row[]> {
  const direct = directs.get(standIns.get(db)?.() ?? db);
  if (direct === undefined) throw new Error('the client was not opened by openDatabase');
  const { source, onStatement } = direct;
  const sql = source.provider === 'postgres' ? statement.text : statement.sql;
  const startedAt = performance.now();
  const read = source.readRaw ?? ((text: string, args: unknown[]) => readByAdapter(source, text, args));
  const { names, kinds, rows } = await read(sql, statement.values);
  onStatement?.(sql, (performance.now() - startedAt) / 1000);
  const columns = names.map((name, index) => {
    const kind = kinds[index];
    const dot = name.indexOf('.');
    return {
      convert: kind && conversions[kind],
      of: dot < 0 ? undefined : name.slice(0, dot),
      name: name.slice(dot + 1),
    };
  });
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i++) {
      const { convert, of, name } = columns[i] as (typeof columns)[number]; // There are as many.
      const value = values[i];
      const converted = value === null || convert === undefined ? value : convert(value);
      if (of === undefined) row[name] = converted;
      else if (name === 'id') row[of] = value === null ? null : { id: value };
      else if (row[of]) (row[of] as Record<string, unknown>)[name] = converted;
    }
    return row as Row; // The caller says what the statement selects.
  });
}

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { LRUCache } from 'lru-cache';
import { type Answer, Pipeline, type Pool, type Query } from './postgres-pipeline.ts';
import type { ReadsRaw } from './source.ts';

/** The part of the adapter's connections and transactions that is used; the types of @prisma/adapter-pg do not have it. */
interface Driven<Client = unknown> {
  readonly client: Client;
  readonly pgOptions?: { statementNameGenerator?(query: { sql: string }): string };
  /** Throws the adapter's own error for an error of the driver. */
  onError(error: unknown): never;
}

/** The names of columns by statement, since `pg` gives new ones each time. */
const known = new LRUCache<string, readonly string[]>({ max: 500 });

const momentOf = (text: string) => new Date(`${text.replace(' ', 'T')}Z`);

/** How values are read, by the ids of PostgreSQL's types: boolean, whole numbers, numeric, timestamp. Others stay texts. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: Number,
  21: Number,
  23: Number,
  26: Number,
  1700: Number,
  1114: momentOf,
};
const asText = (text: string) => text;
const types = { getTypeParser: (oid: number) => parsers[oid] ?? asText };

/** A value as Prisma writes it to PostgreSQL; `pg` itself would write a time in the zone of this machine. */
function written(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

/**
 * Reads by `pg` itself: Prisma's adapter formats each statement for a debug log, and describes each column. A connection and
 * its transactions have the same names of prepared statements.
 */
function reader(driven: Driven, read: (query: Query) => Promise<Answer>): ReadsRaw['readRaw'] {
  return async (sql, args) => {
    const name = driven.pgOptions?.statementNameGenerator?.({ sql }) ?? '';
    const query: Query = { name, text: sql, values: args.map(written), rowMode: 'array', types };
    const { fields, rows } = await read(query).catch((error) => driven.onError(error));
    let names = known.get(sql);
    if (names === undefined) {
      names = fields.map((field) => field.name);
      known.set(sql, names);
    }
    return { names, kinds: [], rows };
  };
}

/** The reader of a connection pool. */
export function poolReader(connection: SqlQueryable): ReadsRaw['readRaw'] {
  const driven = connection as SqlQueryable & Driven<Pool>;
  const pipeline = new Pipeline(driven.client);
  return reader(driven, (query) => pipeline.read(query));
}

/** The reader of a transaction. */
export function transactionReader(transaction: SqlQueryable): ReadsRaw['readRaw'] {
  const driven = transaction as SqlQueryable & Driven<Pick<Pool, 'query'>>;
  return reader(driven, (query) => driven.client.query(query));
}

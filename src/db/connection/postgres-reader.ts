import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import type { Pool, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import { isStale } from './errors.ts';
import { Pipeline } from './postgres-pipeline.ts';
import type { ReadsRaw } from './raw-source.ts';

/** The part of the adapter's connections and transactions that is used; the types of @prisma/adapter-pg do not have it. */
interface Driven<Client> {
  readonly client: Client;
  readonly pgOptions?: { statementNameGenerator?(query: { sql: string }): string };
  /** Throws the adapter's own error for an error of the driver. */
  onError(error: Failure): never;
}

/** An error of the server has a code of five characters. */
type Failure = Error & { readonly code?: string };

/** A value as Prisma writes it to PostgreSQL; `pg` itself would write a time in the zone of this machine. */
function written(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

/** The id of PostgreSQL's type of times. */
const TIMESTAMP = 1114;

/** How values are read, by the ids of PostgreSQL's types: boolean, whole numbers, numeric. Others stay texts. */
const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  16: (text) => text === 't',
  20: Number,
  21: Number,
  23: Number,
  26: Number,
  1700: Number,
};
const asText = (text: string) => text;
const types = { getTypeParser: (id: number) => parsers[id] ?? asText };

/** Reads by `pg` itself: Prisma's adapter formats each statement for a debug log, and describes each column. */
function reader(
  driven: Driven<Pool | PoolClient>,
  send: (query: QueryArrayConfig) => Promise<QueryArrayResult>,
): ReadsRaw['readRaw'] {
  return async (text, args) => {
    const name = driven.pgOptions?.statementNameGenerator?.({ sql: text }) ?? '';
    const query = { name, text, values: args.map(written), rowMode: 'array' as const, types };
    const { fields, rows } = await send(query).catch((error) => driven.onError(error));
    return {
      names: fields.map(({ name: column }) => column),
      kinds: fields.map(({ dataTypeID }) => (dataTypeID === TIMESTAMP ? 'time' : undefined)),
      rows,
    };
  };
}

/** The reader of a connection pool. A statement that is stale on one of its connections is sent once more, without a name. */
export function poolReader(connection: SqlQueryable): ReadsRaw['readRaw'] {
  const driven = connection as SqlQueryable & Driven<Pool>;
  const pipeline = new Pipeline(driven.client);
  return reader(driven, (query) =>
    pipeline.query(query).catch((error: Failure) => {
      if (query.name === '' || !isStale(error)) throw error;
      return driven.client.query({ ...query, name: '' });
    }),
  );
}

/** Has the pool close the connection after the transaction, which the adapter would return as if nothing had happened. */
function closeAfter(client: PoolClient, error: Error): void {
  const { release } = client;
  client.release = () => release.call(client, error);
}

/** The reader of a transaction. */
export function transactionReader(transaction: SqlQueryable): ReadsRaw['readRaw'] {
  const driven = transaction as SqlQueryable & Driven<PoolClient>;
  const { onError } = driven;
  driven.onError = (error) => {
    // An error without a code is the driver's own: what it knows of the connection may be wrong, too.
    if (isStale(error) || error.code === undefined) closeAfter(driven.client, error);
    return onError.call(driven, error);
  };
  return reader(driven, (query) => driven.client.query(query));
}

import type { SqlQueryable } from '@prisma/driver-adapter-utils';
import { type Client, Pipeline, type Pool } from './postgres-pipeline.ts';
import { type Answer, type Failure, isStale, type Query, Statement } from './postgres-statement.ts';
import type { ReadsRaw } from './source.ts';

/** The part of the adapter's connections and transactions that is used; the types of @prisma/adapter-pg do not have it. */
interface Driven<Client = unknown> {
  readonly client: Client;
  readonly pgOptions?: { statementNameGenerator?(query: { sql: string }): string };
  /** Throws the adapter's own error for an error of the driver. */
  onError(error: Failure): never;
}

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
    const { names, rows } = await read({ name, text: sql, values: args.map(written) }).catch((error) =>
      driven.onError(error),
    );
    return { names, kinds: [], rows };
  };
}

/** The reader of a connection pool. */
export function poolReader(connection: SqlQueryable): ReadsRaw['readRaw'] {
  const driven = connection as SqlQueryable & Driven<Pool>;
  const pipeline = new Pipeline(driven.client);
  return reader(driven, (query) => pipeline.read(query));
}

/** Has the pool close the connection after the transaction, which the adapter would return as if nothing had happened. */
function closeAfter(client: Client, error: Error): void {
  const { release } = client;
  client.release = () => release(error);
}

/** The reader of a transaction. */
export function transactionReader(transaction: SqlQueryable): ReadsRaw['readRaw'] {
  const driven = transaction as SqlQueryable & Driven<Client>;
  const { onError } = driven;
  driven.onError = (error) => {
    // An error without a code is the driver's own: what it knows of the connection may be wrong, too.
    if (isStale(error) || error.code === undefined) closeAfter(driven.client, error);
    return onError.call(driven, error);
  };
  return reader(driven, (query) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    driven.client.query(new Statement(query), undefined, (error, answer) =>
      error ? reject(error) : resolve(answer),
    );
    return promise;
  });
}

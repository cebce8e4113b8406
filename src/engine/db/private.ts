// Members of `pg` and of Prisma's adapter for PostgreSQL that no documentation promises. Each comment says what the code relies
// on. `test/engine/db/private.test.ts` fails if a release changes it.
import type { Transaction } from '@prisma/driver-adapter-utils';
import type { Client, ClientBase, PoolClient, QueryConfig } from 'pg';

declare module 'pg' {
  /** Parts of `pg`'s connections that its types lack. */
  interface ClientBase {
    /** The process id that the server sent at the start. */
    readonly processID: number | null;
    /** The parameters of the first message to the server. */
    getStartupConf(): Record<string, string>;
    /** Sends messages to the server. */
    readonly connection: { query(text: string): void };
  }
}

/** Returns a class of clients with other parameters in the first message. `pg` asks `getStartupConf` for them. */
export function withStartup(
  Class: typeof Client,
  complete: (given: Record<string, string>) => Record<string, string>,
): typeof Client {
  return class extends Class {
    override getStartupConf() {
      return complete(super.getStartupConf());
    }
  };
}

/** Changes the statements of a client that have neither values nor a name. `pg` sends each by `connection.query`. */
export function changePlainStatements({ connection }: ClientBase, change: (text: string) => string): void {
  const send = connection.query.bind(connection);
  connection.query = (text) => send(change(text));
}

/** Changes all statements of a client. The pool and Prisma's adapter send each by the client's own `query`. */
export function changeStatements(client: ClientBase, change: (text: string) => string): void {
  const { query } = client;
  const send = (statement: string | QueryConfig, ...rest: readonly unknown[]) => {
    const sent =
      typeof statement === 'string' ? change(statement) : { ...statement, text: change(statement.text) };
    return Reflect.apply(query, client, [sent, ...rest]);
  };
  Object.assign(client, { query: send });
}

/** An error of the server has a code of five characters. */
export type Failure = Error & { readonly code?: string };

/** The members of the adapter's transactions. `onError` throws the adapter's own error for one of the driver. */
interface Driven {
  readonly client: PoolClient;
  onError(error: Failure): never;
}

/**
 * Returns the connection of a transaction of Prisma's adapter, and what throws Prisma's error for one of the connection.
 * The adapter calls the transaction's `onError` for each statement that fails.
 * @param failed called with each of these errors, also with those that the adapter meets
 */
export function getConnection(
  transaction: Transaction,
  failed: (error: Failure, client: PoolClient) => void,
): Driven {
  const driven = transaction as Transaction & Driven;
  const { client, onError } = driven;
  driven.onError = (error) => {
    failed(error, client);
    return onError.call(driven, error);
  };
  return { client, onError: (error) => driven.onError(error) };
}

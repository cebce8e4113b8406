// What the engine's data needs of a product: `Product` has its facts, such as migrations and columns. The other types describe
// Prisma's client as far as the engine calls it, without models.
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { Migrations } from './migration-state.ts';
import type { Sql } from './sql.ts';
import type { Provider } from './url.ts';

/** Levels of isolation that are used. SQLite has only `Serializable`. */
type IsolationLevel = 'RepeatableRead' | 'Serializable';

/** Limits in milliseconds: the wait for a connection, and the duration of the transaction. */
export interface TransactionLimits {
  readonly maxWait?: number;
  readonly timeout?: number;
}

/** Options with which Prisma begins a transaction. */
export interface BeginOptions extends TransactionLimits {
  readonly isolationLevel?: IsolationLevel;
}

/** The statements of Prisma's client in a transaction. A product's client, which has its models too, is one. */
export interface ClientOf<Self> {
  $executeRaw(query: TemplateStringsArray | Sql, ...values: unknown[]): Promise<number>;
  $queryRaw<Rows>(query: TemplateStringsArray | Sql, ...values: unknown[]): Promise<Rows>;
  $queryRawUnsafe<Rows>(query: string, ...values: unknown[]): Promise<Rows>;
  $transaction<T>(work: (client: Self) => Promise<T>, options?: BeginOptions): Promise<T>;
}

/** Prisma's client without models. */
export interface AnyClient extends ClientOf<AnyClient> {}

/** Parts that a new client gets. */
export interface ClientOptions {
  readonly adapter: SqlDriverAdapterFactory;
  readonly log: { emit: 'event'; level: 'query' }[];
}

/** Prisma's client outside of transactions. */
export interface OpenClient {
  /** Loads its compiler of queries, as the first of them does otherwise. */
  $connect(): Promise<void>;
  $disconnect(): Promise<void>;
  $on(
    event: 'query',
    callback: (event: { readonly query: string; readonly duration: number }) => void,
  ): unknown;
}

/** Facts about a product that the engine needs for its data. */
export interface Product<Client> {
  readonly migrations: Migrations;
  /** All columns of the tables whose rows lists have. */
  readonly columnsOf: Readonly<Record<string, Sql>>;
  /** The channel of notifications on PostgreSQL: a trigger sends those of keys. Channels of others begin with it. */
  readonly channel: string;
  /** The kinds of records of which so many may change at once that only `many` is told of an account. */
  readonly bulkKinds: ReadonlySet<string>;
  /** The condition under which old changes stay in the log until its readers have read them. */
  readonly isLogRead: Sql;
  /** Makes Prisma's client for the product's models. */
  newClient(provider: Provider, options: ClientOptions): Promise<Client & OpenClient>;
}

/** The tables of a client's models; any table if it has no models. */
export type TableOf<Client> = [ModelOf<Client>] extends [never] ? string : Capitalize<ModelOf<Client>>;
type ModelOf<Client> = Exclude<keyof Client & string, `$${string}`>;

import {
  Database as DatabaseOf,
  type DatabaseOptions,
  type Data as DataOf,
  type Transaction as TransactionOf,
} from '../engine/db/database.ts';
import type { Product } from '../engine/db/product.ts';
import { sql } from '../engine/db/sql.ts';
import { type Prisma, PrismaClient } from '../generated/sqlite/client.ts';
import { columnsOf } from './columns.ts';
import { migrations } from './migrations.ts';

/** Prisma's client in a transaction, with the models of this service. */
export type Client = Prisma.TransactionClient;

/** A database, or a transaction on one, with the tables of this service. */
export type Data = DataOf<Client>;
export type Transaction = TransactionOf<Client>;
export type Database = DatabaseOf<Client>;

async function postgresqlClient(
  options: ConstructorParameters<typeof PrismaClient>[0],
): Promise<PrismaClient<'query'>> {
  const { PrismaClient: PostgresqlClient } = await import('../generated/postgresql/client.ts');
  // The two clients are generated from one set of models and differ only in what PostgreSQL allows beyond SQLite,
  // which TypeScript cannot see: they are nominally unrelated classes.
  return new PostgresqlClient(options) as unknown as PrismaClient<'query'>;
}

const product: Product<Client> = {
  migrations,
  columnsOf,
  // Cached links consist of these.
  bulkKinds: new Set(['LINK', 'PIXEL']),
  isLogRead: sql`EXISTS (SELECT 1 FROM "Webhook")`,
  channel: 'linkspace',
  newClient: async (provider, options) =>
    provider === 'sqlite' ? new PrismaClient(options) : postgresqlClient(options),
};

export const Database = {
  /** Opens the database at `url`, which has the tables already. */
  open: (url: string, options?: DatabaseOptions): Promise<Database> => DatabaseOf.open(url, product, options),
};

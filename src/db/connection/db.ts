import type { Prisma, PrismaClient } from '../../generated/sqlite/client.ts';

/** The client type of the program; the PostgreSQL client accepts every call that this one accepts. */
export type Db = PrismaClient;
/** A transaction of it. */
export type Tx = Prisma.TransactionClient;

/** Called with a SQL statement as Prisma sent it, and its duration. */
export type StatementListener = (sql: string, seconds: number) => void;

/** Clients are proxies, so `instanceof` does not work. */
const sqliteClients = new WeakSet<object>();

/** Whether the client or transaction is SQLite's. */
export function isSqlite(client: object): boolean {
  return sqliteClients.has(client);
}

/** Marks a client or transaction as SQLite's, for `isSqlite`. */
export function markSqlite(client: object): void {
  sqliteClients.add(client);
}

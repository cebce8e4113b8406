import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { LRUCache } from 'lru-cache';

/** How many statements a connection keeps prepared. */
const KEPT = 500;

/** What the adapter asks of better-sqlite3's statements. */
interface Statement {
  readonly reader: boolean;
  bind(args: unknown[]): Statement;
  run(...args: unknown[]): unknown;
  columns(): unknown[];
  raw(toggle?: boolean): Statement;
  all(...args: unknown[]): unknown[];
}

/** What is behind the adapter; not part of the adapters' common interface. */
interface HasClient {
  client: { prepare(sql: string): Statement };
}

/** A prepared statement with the arguments of one execution: better-sqlite3's own binding is for good. */
function bound(statement: Statement, args: unknown[]): Statement {
  return {
    reader: statement.reader,
    bind: (other) => bound(statement, other),
    run: () => statement.run(...args),
    columns: () => statement.columns(),
    raw: () => bound(statement.raw(true), args),
    all: () => statement.all(...args),
  };
}

/**
 * Keeps statements prepared. Prisma's adapter prepares each anew, which costs as much as running a small one; SQLite
 * itself prepares a kept one again where the schema changed meanwhile.
 */
export function keepsStatements(adapter: SqlDriverAdapter): SqlDriverAdapter {
  // The adapter of @prisma/adapter-better-sqlite3 has this property; its type does not say so.
  const { client } = adapter as SqlDriverAdapter & HasClient;
  const prepare = client.prepare.bind(client);
  const kept = new LRUCache<string, Statement>({ max: KEPT });
  client.prepare = (sql) => {
    const known = kept.get(sql) ?? prepare(sql);
    kept.set(sql, known);
    return bound(known, []);
  };
  return adapter;
}

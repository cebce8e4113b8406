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
function bound(statement: Statement, columns: () => unknown[], args: unknown[]): Statement {
  return {
    reader: statement.reader,
    bind: (other) => bound(statement, columns, other),
    run: () => statement.run(...args),
    columns,
    raw: () => bound(statement.raw(true), columns, args),
    all: () => statement.all(...args),
  };
}

/** A statement without arguments, that asks once for what it can be asked only by a tenth of the time of a small read. */
function kept(statement: Statement): Statement {
  let columns: unknown[] | undefined;
  const known = () => {
    columns ??= statement.columns();
    return columns;
  };
  return bound(statement, known, []);
}

/**
 * Keeps statements prepared. Prisma's adapter prepares each anew, which costs as much as running a small one; SQLite
 * itself prepares a kept one again where the schema changed meanwhile. Statements name their columns, so those stay.
 */
export function keepsStatements(adapter: SqlDriverAdapter): SqlDriverAdapter {
  // The adapter of @prisma/adapter-better-sqlite3 has this property; its type does not say so.
  const { client } = adapter as SqlDriverAdapter & HasClient;
  const prepare = client.prepare.bind(client);
  const statements = new LRUCache<string, Statement>({ max: KEPT });
  client.prepare = (sql) => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = kept(prepare(sql));
    statements.set(sql, statement);
    return statement;
  };
  return adapter;
}

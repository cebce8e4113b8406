import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { LRUCache } from 'lru-cache';
import { driverOf, type Statement } from './sqlite-driver.ts';

/** How many statements a connection keeps prepared. */
const KEPT = 500;

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
  const driver = driverOf(adapter);
  const prepare = driver.prepare.bind(driver);
  const statements = new LRUCache<string, Statement>({ max: KEPT });
  driver.prepare = (sql) => {
    const known = statements.get(sql);
    if (known) return known;
    const statement = kept(prepare(sql));
    statements.set(sql, statement);
    return statement;
  };
  return adapter;
}

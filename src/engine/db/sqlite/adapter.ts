// Prisma's driver adapter for SQLite, which gets every statement of Prisma's client. Statements outside of transactions wait
// for their turn (`turns.ts`); those of a transaction run at once, since it holds others back. A transaction begins as the only
// writer. A commit fails if the file is no longer the one that was opened.
import {
  DriverAdapterError,
  type IsolationLevel,
  type SqlDriverAdapter,
  type SqlQuery,
  type SqlResultSet,
  type Transaction,
} from '@prisma/driver-adapter-utils';
import type { Statement } from 'better-sqlite3';
import type { FileConnection } from './file-connection.ts';
import type { FileTurns } from './turns.ts';

/** Names the adapter in Prisma's errors. */
const NAMES = { provider: 'sqlite', adapterName: 'linkspace-sqlite' } as const;

/** True if a statement only reads; a table expression does here, since none of ours writes. */
export function isRead(sql: string): boolean {
  return /^\s*(SELECT|WITH)/.test(sql);
}

/** An open transaction. Prisma's client sends COMMIT or ROLLBACK as a statement before it calls `commit` or `rollback`. */
class SqliteTransaction implements Transaction {
  readonly provider = NAMES.provider;
  readonly adapterName = NAMES.adapterName;
  readonly options = { usePhantomQuery: false };
  readonly #connection: FileConnection;
  readonly #turns: FileTurns;
  readonly #end: () => void;

  /** @param ended called at the end, when others may go on */
  constructor(connection: FileConnection, turns: FileTurns, ended: () => void) {
    this.#connection = connection;
    this.#turns = turns;
    const release = turns.hold(this);
    this.#end = () => {
      try {
        // After a COMMIT that fails, such as for want of space, SQLite keeps the transaction open: later writes would be part
        // of it, and get lost.
        if (connection.file.inTransaction) connection.script('ROLLBACK');
      } finally {
        release();
        ended();
      }
    };
  }

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return this.#connection.query(query);
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    return this.#connection.execute(query);
  }

  /** @throws Error if the file is not the one any more that was opened, so that all is lost */
  async commit(): Promise<void> {
    try {
      this.#turns.written(undefined);
    } finally {
      this.#end();
    }
  }

  async rollback(): Promise<void> {
    this.#end();
  }

  async createSavepoint(name: string): Promise<void> {
    this.#run(`SAVEPOINT ${name}`);
  }

  async rollbackToSavepoint(name: string): Promise<void> {
    this.#run(`ROLLBACK TO ${name}`);
  }

  async releaseSavepoint(name: string): Promise<void> {
    this.#run(`RELEASE SAVEPOINT ${name}`);
  }

  #run(sql: string): void {
    this.#connection.execute({ sql, args: [], argTypes: [] });
  }
}

export class SqliteAdapter implements SqlDriverAdapter {
  readonly provider = NAMES.provider;
  readonly adapterName = NAMES.adapterName;
  readonly #connection: FileConnection;
  readonly #turns: FileTurns;
  readonly #begin: Statement;
  readonly #afterTransaction: () => void;

  constructor(connection: FileConnection, turns: FileTurns, afterTransaction: () => void) {
    this.#connection = connection;
    this.#turns = turns;
    // All our transactions write: one that locks the file later could fail because its reads are outdated.
    this.#begin = connection.file.prepare('BEGIN IMMEDIATE');
    this.#afterTransaction = afterTransaction;
  }

  queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    return isRead(query.sql)
      ? this.#turns.read((from) => from.query(query))
      : this.#turns.write((to) => to.query(query));
  }

  executeRaw(query: SqlQuery): Promise<number> {
    return this.#turns.write((to) => to.execute(query));
  }

  executeScript(script: string): Promise<void> {
    return this.#turns.write((to) => to.script(script));
  }

  async startTransaction(isolationLevel?: IsolationLevel): Promise<Transaction> {
    if (isolationLevel !== undefined && isolationLevel !== 'SERIALIZABLE')
      throw new DriverAdapterError({ kind: 'InvalidIsolationLevel', level: isolationLevel });
    return this.#turns.begin((to) => {
      this.#begin.run();
      return new SqliteTransaction(to, this.#turns, this.#afterTransaction);
    });
  }

  async dispose(): Promise<void> {
    this.#connection.close();
  }
}

// A connection to a SQLite file, with the statements of Prisma's client and our own reads. Each runs at once and blocks the
// thread until SQLite has answered. `turns.ts` decides when a statement may run.
import type { ColumnType, SqlQuery, SqlResultSet } from '@prisma/driver-adapter-utils';
import Sqlite, { type Database, type Statement } from 'better-sqlite3';
import { parseFilePath } from './file.ts';
import { whenUnlocked } from './locked.ts';
import { asPrismaError } from './prisma-errors.ts';
import { columnTypes, declaredType, fromSqlite, toSqlite } from './prisma-values.ts';
import { keepPrepared, type ReadNow, rawReader } from './statements.ts';

/** The maximum length of the texts of Prisma's statements that stay prepared, in characters. */
const MAX_LENGTH = 10_000;

/** A statement of Prisma's client, with the names and declared types of its columns; it has none if it returns no rows. */
interface Known {
  readonly statement: Statement<unknown[], unknown[]>;
  readonly names: string[];
  readonly declared: readonly (ColumnType | null)[];
  /** The types of the columns; null if only their values tell them. */
  readonly types: ColumnType[] | null;
}

function describe(statement: Statement): Known {
  const columns = statement.reader ? statement.columns() : [];
  const declared = columns.map(({ type }) => declaredType(type));
  const known = declared.filter((type) => type !== null);
  return {
    // A raw statement's rows are lists. Numbers beyond the safe ones would lose digits.
    statement: (statement.reader ? statement.raw(true) : statement).safeIntegers(true) as Known['statement'],
    names: columns.map(({ name }) => name),
    declared,
    types: known.length === declared.length ? known : null,
  };
}

export class FileConnection {
  readonly file: Database;
  /** Reads for ourselves: their values are not converted for Prisma's client, and their errors are the driver's. */
  readonly read: ReadNow;
  readonly #prepare: (sql: string) => Known;

  private constructor(file: Database, maxPrepared: number | undefined) {
    this.file = file;
    this.read = rawReader(file, maxPrepared);
    this.#prepare = keepPrepared(file, describe, {
      maxLength: MAX_LENGTH,
      ...(maxPrepared !== undefined && { max: maxPrepared }),
    });
  }

  static async open(url: string, settings: readonly string[], maxPrepared?: number): Promise<FileConnection> {
    const file = new Sqlite(parseFilePath(url), { timeout: 0 });
    for (const setting of settings) await whenUnlocked(() => file.pragma(setting));
    return new FileConnection(file, maxPrepared);
  }

  /** Runs a statement of Prisma's client, and returns its rows. @throws DriverAdapterError */
  query({ sql, args, argTypes }: SqlQuery): SqlResultSet {
    try {
      const { statement, names, declared, types } = this.#prepare(sql);
      const values = args.map((value, index) => toSqlite(value, argTypes[index]));
      if (!statement.reader) {
        statement.run(...values);
        return { columnNames: names, columnTypes: [], rows: [] };
      }
      const rows = statement.all(...values);
      const found = types ?? columnTypes(declared, rows);
      for (const row of rows)
        for (let index = 0; index < row.length; index++) row[index] = fromSqlite(row[index], found[index]);
      return { columnNames: names, columnTypes: found, rows };
    } catch (error) {
      throw asPrismaError(error);
    }
  }

  /** Runs a statement of Prisma's client, and returns how many rows it has changed. @throws DriverAdapterError */
  execute({ sql, args, argTypes }: SqlQuery): number {
    try {
      const values = args.map((value, index) => toSqlite(value, argTypes[index]));
      return this.#prepare(sql).statement.run(...values).changes;
    } catch (error) {
      throw asPrismaError(error);
    }
  }

  /** Runs several statements without values. @throws DriverAdapterError */
  script(text: string): void {
    try {
      this.file.exec(text);
    } catch (error) {
      throw asPrismaError(error);
    }
  }

  close(): void {
    this.file.close();
  }
}

import type { Sql } from './sql.ts';
import type { Provider } from './url.ts';

export type Cell = number | string | null;
export type ColumnTypes = Readonly<Record<string, 'integer' | 'bigint' | 'text' | 'timestamp'>>;
/** Rows with a value for each column, in the columns' order. */
export type Rows<Value> = readonly (readonly Value[])[];

/**
 * The differences between the two databases in statements. Code that asks for the `provider` has the others: files, migrations,
 * copies, notifications, and the rate limit that processes share.
 */
export interface Dialect {
  readonly name: Provider;
  /**
   * True if several transactions write at the same time. On SQLite, a transaction is the only writer from its
   * beginning, so that nothing needs a lock.
   */
  readonly hasConcurrentWriters: boolean;
  /** True if statements run in this process. They block its thread, and the process knows of each commit. */
  readonly runsInProcess: boolean;
  /** True if a statement can write to several tables. On SQLite, triggers write to the others. */
  readonly hasWritableCtes: boolean;
  /** True if the planner chooses the index of trigrams by itself. */
  readonly choosesTrigramIndex: boolean;
  /** A clause at the end of a SELECT that locks rows, such as FOR UPDATE; nothing without concurrent writers. */
  lock(clause: string): Sql;
  /** The bytes of the database. */
  readonly size: Sql;
  /** A time that many milliseconds from now, by a clock that all processes share. */
  fromNow(milliseconds: number): Sql;
  /** A time as a value of its own, not compared with a column. */
  time(value: Date): Sql;
  /** The time in a column, and a millisecond. */
  oneMillisecondAfter(column: Sql): Sql;
  /** The number of bytes of a text in UTF-8. */
  bytesOf(text: Sql): Sql;
  greatest(one: Sql, other: Sql): Sql;
  least(one: Sql, other: Sql): Sql;
  /** A condition: a column contains the text literally. Unlike LIKE, these functions do not backtrack. */
  contains(column: Sql, text: string): Sql;
  /** A condition: a column has one of the values, in one parameter. */
  isIn(column: Sql, type: 'integer' | 'text', values: readonly Cell[]): Sql;
  /** A table of literal rows, in their order, in one parameter, or in one for each column. */
  table(columns: ColumnTypes, rows: Rows<Cell>): Sql;
  /** The texts of all rows, one after another. */
  concatenated(text: Sql): Sql;
  /**
   * A SELECT of rows to insert into these columns of a table, in their order, in one parameter.
   * @param also further values, which may name the columns
   */
  insertSource(table: string, columns: readonly string[], rows: Rows<unknown>, also: readonly Sql[]): Sql;
  /** The functions that make JSON of rows: a list, and an object of names and values in turn. */
  readonly json: { readonly list: string; readonly object: string };
}

import type { SqlDriverAdapter, Transaction } from '@prisma/driver-adapter-utils';

/** The connection pool of PostgreSQL; SQLite has one connection, in the process itself. */
export interface PoolOptions {
  readonly poolSize: number;
  /** After how many milliseconds a statement is cancelled; 0 for the server's own limit. */
  readonly statementTimeout: number;
}

/** The rows of a statement, and the kinds of columns that still need a conversion. */
export interface RawRows {
  readonly names: readonly string[];
  readonly kinds: readonly ('date' | 'boolean' | undefined)[];
  readonly rows: readonly unknown[][];
}

/** Reads by the driver itself: Prisma's adapters convert and describe what nothing needs. */
export type RawRead = (sql: string, args: readonly unknown[]) => Promise<RawRows>;

/** What either database's driver does, for Prisma's client and beside it. */
export interface Connection {
  /** Whether a pooler may give each transaction another connection of the server. */
  readonly pooled: boolean;
  readonly adapter: SqlDriverAdapter;
  readonly read: RawRead;
  /** Reads on a separate thread, if statements run in this process. */
  readonly readLong?: RawRead;
  /** Reads within a transaction of the adapter. */
  readIn(transaction: Transaction): RawRead;
  /**
   * Writes temporary data and removes it: that needs space on the disk, but waits for no other write. Without
   * the right to create temporary tables on PostgreSQL, it does nothing.
   * @throws Error if there is no space, or the disk or the server is read-only
   */
  trySpace(): Promise<void>;
  /** Ends what Prisma's client does not. */
  close?(): Promise<void>;
}

/** A time in JSON: PostgreSQL's have no zone. */
function timestampIn(text: string): Date {
  return new Date(/Z$|[+-]\d\d:\d\d$/.test(text) ? text : `${text}Z`);
}

const conversions = {
  date: (value: unknown) => new Date(String(value)),
  boolean: Boolean,
  /** Records in JSON, whose times end with `At`. */
  list: (value: unknown) =>
    JSON.parse(String(value), (key, inner) =>
      typeof inner === 'string' && key.endsWith('At') ? timestampIn(inner) : inner,
    ),
} as const;

/** How the values of a column are converted. */
interface Converted {
  readonly convert: ((value: unknown) => unknown) | undefined;
  readonly of: string | undefined;
  readonly name: string;
  /** The value for null. */
  readonly none: unknown;
}

/** By the names of a statement's columns, which a prepared statement has once. */
const converted = new WeakMap<readonly string[], readonly Converted[]>();

function convertedOf({ names, kinds }: RawRows): readonly Converted[] {
  const known = converted.get(names);
  if (known !== undefined) return known;
  const columns = names.map((name, index) => {
    const isList = name.endsWith('[]');
    const kind = isList ? 'list' : kinds[index];
    const dot = name.indexOf('.');
    return {
      convert: kind && conversions[kind],
      of: dot < 0 ? undefined : name.slice(0, dot),
      name: name.slice(dot + 1, isList ? -2 : undefined),
      none: isList ? [] : null,
    };
  });
  converted.set(names, columns);
  return columns;
}

/**
 * Large numbers become numbers. Columns `space.id` and `space.name` become an object `space`, which is null without an id;
 * a column `pixels[]` with a list in JSON becomes a list `pixels`.
 */
export function rowsOf<Row>(raw: RawRows): Row[] {
  const columns = convertedOf(raw);
  return raw.rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < columns.length; i++) {
      const { convert, of, name, none } = columns[i] as Converted; // Both lists have the same length.
      const value = values[i];
      const given = value === null ? none : convert === undefined ? value : convert(value);
      if (of === undefined) row[name] = given;
      else if (name === 'id') row[of] = value === null ? null : { id: value };
      else if (row[of]) (row[of] as Record<string, unknown>)[name] = given;
    }
    return row as Row; // The caller says what the statement selects.
  });
}

/** A time as Prisma writes it to SQLite; PostgreSQL accepts it, too. */
export function dateText(timestamp: Date): string {
  return timestamp.toISOString().replace('Z', '+00:00');
}

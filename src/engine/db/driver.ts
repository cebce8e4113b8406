import type { SqlDriverAdapter, Transaction } from '@prisma/driver-adapter-utils';
import { LRUCache } from 'lru-cache';

/** The connection pool of PostgreSQL; SQLite has one connection, in the process itself. */
export interface PoolOptions {
  readonly poolSize: number;
  /** After how many milliseconds a statement is cancelled; 0 for the server's own limit. */
  readonly statementTimeout: number;
}

/** The rows of a statement, and the kinds of columns that still need a conversion. */
export interface RawRows {
  readonly names: readonly string[];
  readonly kinds: readonly ('time' | 'boolean' | undefined)[];
  readonly rows: readonly unknown[][];
  /** True if the same list of names comes with all rows of the statement, so that their conversion is found by it. */
  readonly keepsNames?: boolean;
}

/** Reads by the driver itself: Prisma's adapters convert and describe what nothing needs. */
export type RawRead = (sql: string, args: readonly unknown[]) => Promise<RawRows>;

/** A database's driver, for Prisma's client and beside it. */
export interface Connection {
  /** True if a pooler may give each transaction another connection of the server. */
  readonly pooled: boolean;
  /** The schema of the tables. */
  readonly schema: string;
  /** The encoding of texts; undefined if the server did not answer. */
  readonly encoding: string | undefined;
  readonly adapter: SqlDriverAdapter;
  readonly read: RawRead;
  /** Reads on a connection of its own, if other reads may be sent on one together and wait for each other. */
  readonly readAlone?: RawRead;
  /** Reads on a separate thread, if statements run in this process. */
  readonly readLong?: RawRead;
  /**
   * Asks a thread that writes to the same file, by its module, while no transaction of this connection is open; reads need not
   * wait. For writes that would hold this thread for long, if statements run in this process.
   */
  readonly writeOnThread?: (module: string, question: unknown) => Promise<unknown>;
  /** Starts the thread of `writeOnThread`, so that its first question need not wait for that. */
  readonly loadThread?: (module: string) => Promise<unknown>;
  /** Reads within a transaction of the adapter. */
  readIn(transaction: Transaction): RawRead;
  /**
   * Writes temporary data and removes it: that needs space on the disk, but waits for no other write. Without
   * the right to create temporary tables on PostgreSQL, it does nothing.
   * @throws Error if there is no space, or the disk or the server is read-only
   */
  tryDisk(): Promise<void>;
  /** @throws Error if its file is not the one any more that was opened: what is written would be lost with that one */
  requireOpened?(): Promise<void>;
  /** Resolves to the free bytes of the disk, if this machine has it. */
  freeBytes?(): Promise<number>;
  /** Ends what Prisma's client does not. */
  close?(): Promise<void>;
}

/** Form of times: ISO text, as in answers, or `Date`. */
export type Times = 'text' | 'Date';

const conversions = {
  text: isoText,
  Date: (stored: string) => new Date(isoText(stored)),
} as const;

/** Makes a row of the values of a statement's columns. */
type MakeRow = (values: readonly unknown[]) => unknown;

/**
 * Compiled for the columns, so that all rows have one shape from the beginning: that takes a third of the time of adding
 * properties one by one.
 */
function compileRow({ names, kinds }: RawRows, times: Times): MakeRow {
  const time = conversions[times];
  /** Records in JSON, whose times end with `At`. */
  const list = (json: string) =>
    JSON.parse(json, (key, inner) => (typeof inner === 'string' && key.endsWith('At') ? time(inner) : inner));
  const written = (index: number) => {
    const value = `values[${index}]`;
    if (names[index]?.endsWith('[]')) return `${value} === null ? [] : list(${value})`;
    if (kinds[index] === 'time') return `${value} === null ? null : time(${value})`;
    return kinds[index] === 'boolean' ? `${value} === null ? null : Boolean(${value})` : value;
  };
  const objects = new Map<string, string[]>([['', []]]);
  const ids = new Map<string, number>();
  for (const [index, path] of names.entries()) {
    const [, of = '', name = ''] = /^(?:(.*?)\.)?(.*?)(?:\[\])?$/s.exec(path) ?? [];
    if (of !== '' && name === 'id') ids.set(of, index);
    const fields = objects.get(of) ?? [];
    objects.set(of, [...fields, `${JSON.stringify(name)}: ${written(index)}`]);
  }
  const own = objects.get('') ?? [];
  objects.delete('');
  const joined = [...objects].map(([of, fields]) => {
    const id = ids.get(of);
    const isNull = id === undefined ? '' : `values[${id}] === null ? null : `;
    return `${JSON.stringify(of)}: ${isNull}{ ${fields.join(', ')} }`;
  });
  return new Function('time', 'list', `return (values) => ({ ${[...own, ...joined].join(', ')} });`)(
    time,
    list,
  );
}

/** By the columns of statements. */
const compiled = new LRUCache<string, MakeRow>({ max: 500 });
/** By the lists of names that statements keep. */
const kept = { text: new WeakMap<object, MakeRow>(), Date: new WeakMap<object, MakeRow>() };

function chooseMaker(raw: RawRows, times: Times): MakeRow {
  const key = `${times} ${raw.names.join()} ${raw.kinds.join()}`;
  const make = compiled.get(key) ?? compileRow(raw, times);
  compiled.set(key, make);
  return make;
}

/**
 * Large numbers become numbers. Columns `owner.id` and `owner.name` become an object `owner`, which is null if its id is;
 * a column `items[]` with a list in JSON becomes a list `items`.
 */
export function decodeRows<Row>(raw: RawRows, times: Times): Row[] {
  const { names, keepsNames = false, rows } = raw;
  const known = keepsNames ? kept[times].get(names) : undefined;
  const make = known ?? chooseMaker(raw, times);
  if (keepsNames && known === undefined) kept[times].set(names, make);
  return rows.map(make) as Row[]; // The caller says what the statement selects.
}

/** A time as Prisma writes it to SQLite; PostgreSQL accepts it, too. */
export function dateText(timestamp: Date): string {
  return timestamp.toISOString().replace('Z', '+00:00');
}

/** The ISO text with milliseconds of a time as a database writes it, in JSON or not: without a zone, it is in UTC. */
function isoText(stored: string): string {
  const { length } = stored;
  // SQLite: 2026-11-20T19:24:00.500+00:00, as above.
  if (length === 29 && stored.endsWith('+00:00')) return `${stored.slice(0, 23)}Z`;
  // PostgreSQL: 2026-11-20 19:24:00.5, with as many digits as it needs.
  if (length === 19 || (length > 20 && length <= 23 && stored[19] === '.'))
    return `${stored.slice(0, 10)}T${stored.slice(11)}${'.000'.slice(length - 19)}Z`;
  return new Date(/Z$|[+-]\d\d:\d\d$/.test(stored) ? stored : `${stored.replace(' ', 'T')}Z`).toISOString();
}
